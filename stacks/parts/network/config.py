"""The address plan, or the network that is there already. No Pulumi import."""

from components.network.peering_removal import PeeringRemoval
from stacks.types import (
    Block,
    ControlPlaneRange,
    Mtu,
    NetworkKey,
    NetworkName,
    PeeringRange,
    PodsRange,
    PrefixLength,
    ProjectId,
    ServicesRange,
    SubnetRange,
)


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
    """What the network has; only for a warning."""


class AcceleratorRanges(Block, frozen=True):
    """What the further interfaces of nodes get. All of it may talk to all of it."""

    range: SubnetRange = "192.168.0.0/16"
    """An IPv4 range, cut into one subnetwork for each interface."""
    prefix_length: PrefixLength = 24
    """Of each such subnetwork; 252 nodes fit a /24."""


class DcnRange(Block, frozen=True):
    """A data-centre network between slices."""

    name: NetworkKey
    """Part of its cloud names."""
    range: SubnetRange
    """Its range, with an address for each node."""


class StackNetwork(Block, frozen=True):
    """The network of the cluster, and those beside it. What no other part needs is not made."""

    mtu: Mtu = 8896
    """Largest packet of the VPC; RDMA networks have 8896 in any case."""
    subnet: SubnetRange = "10.0.0.0/20"
    """Range of the nodes."""
    pods: PodsRange = "10.8.0.0/16"
    """Range of the pods; 256 addresses a node at 110 pods."""
    services: ServicesRange = "10.9.0.0/20"
    """Range of the services."""
    control_plane: ControlPlaneRange = "10.10.4.0/28"
    """Range of the control plane, a /28."""
    flow_logs: bool | None = None
    """Log a sample of the subnetwork's connections; by default as `hardened` says."""
    existing: NamedNetwork | None = None
    """One that exists already, which is read and never changed."""
    accelerators: AcceleratorRanges = AcceleratorRanges()
    """For the further interfaces of GPU nodes, and of H4D."""
    dcn: tuple[DcnRange, ...] = (
        DcnRange(name="net-1", range="10.50.0.0/16"),
        DcnRange(name="net-2", range="10.60.0.0/16"),
    )
    """Networks of the stack's own between TPU slices, where GKE does not make them."""
    peering: PeeringRange = "10.10.0.0/22"
    """Private service access, for Lustre and Redis; on an existing network the range that its owner
    has reserved."""
    peering_on_destroy: PeeringRemoval = PeeringRemoval.REMOVE
    """What `destroy` does with the peering."""
