"""The address plan. No Pulumi import."""

from components.private_service_access_policy import PeeringRemoval
from stacks.blocks.network import AcceleratorRanges, DcnRange, Network
from stacks.types import PeeringRange


class StackNetwork(Network, frozen=True):
    """A VPC network for the cluster; `peering` is for Managed Lustre, `accelerators` for the
    further interfaces of GPU nodes, and `dcn` for those of TPU nodes, one network each.

    What no other part needs is not made. The default peering range holds two Lustre instances, so
    that one can be made beside another.
    """

    accelerators: AcceleratorRanges = AcceleratorRanges()
    dcn: tuple[DcnRange, ...] = (
        DcnRange(name="net-1", range="10.50.0.0/16"),
        DcnRange(name="net-2", range="10.60.0.0/16"),
    )
    peering: PeeringRange = "10.10.0.0/22"
    peering_on_destroy: PeeringRemoval = PeeringRemoval.REMOVE
