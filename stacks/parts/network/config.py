"""The address plan. No Pulumi import."""

from components.private_service_access_policy import PeeringRemoval
from stacks.blocks.network import AcceleratorRanges, DcnRange, Network
from stacks.types import PeeringRange


class StackNetwork(Network, frozen=True):
    """The network of the cluster, and those beside it. What no other part needs is not made."""

    accelerators: AcceleratorRanges = AcceleratorRanges()
    """For the further interfaces of GPU nodes."""
    dcn: tuple[DcnRange, ...] = (
        DcnRange(name="net-1", range="10.50.0.0/16"),
        DcnRange(name="net-2", range="10.60.0.0/16"),
    )
    """For those of TPU nodes, one network each."""
    peering: PeeringRange = "10.10.0.0/22"
    """Private service access for Managed Lustre. The default holds two instances, so that one can
    be made beside another."""
    peering_on_destroy: PeeringRemoval = PeeringRemoval.REMOVE
    """What `destroy` does with the peering."""
