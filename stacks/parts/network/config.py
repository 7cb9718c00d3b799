"""The address plan, or the network that is there already. No Pulumi import."""

from components.private_service_access_policy import PeeringRemoval
from stacks.blocks.block import Block
from stacks.blocks.network import AcceleratorRanges, DcnRange, Network
from stacks.types import Mtu, NetworkName, PeeringRange, ProjectId


class NamedNetwork(Block, frozen=True):
    """A VPC network that exists already, with the subnetwork for the cluster's nodes."""

    network: NetworkName
    """Name of the network."""
    subnetwork: NetworkName
    """Name of the subnetwork, in the stack's region."""
    pods_range: NetworkName
    """Name of its secondary range for pods."""
    services_range: NetworkName
    """Name of its secondary range for services."""
    project: ProjectId | None = None
    """Whose it is: a Shared VPC's host; by default the stack's own project."""
    mtu: Mtu | None = None
    """What the network has, which cannot be read: it decides only whether there is a warning."""


class StackNetwork(Network, frozen=True):
    """The network of the cluster, and those beside it. What no other part needs is not made."""

    existing: NamedNetwork | None = None
    """One that exists already, in place of one made here; it is read and never changed."""
    accelerators: AcceleratorRanges = AcceleratorRanges()
    """For the further interfaces of GPU nodes."""
    dcn: tuple[DcnRange, ...] = (
        DcnRange(name="net-1", range="10.50.0.0/16"),
        DcnRange(name="net-2", range="10.60.0.0/16"),
    )
    """For those of TPU nodes, one network each."""
    peering: PeeringRange = "10.10.0.0/22"
    """Private service access for Managed Lustre. The default holds two instances, so that one can
    be made beside another. On a network that exists already: what its owner has reserved."""
    peering_on_destroy: PeeringRemoval = PeeringRemoval.REMOVE
    """What `destroy` does with the peering."""
