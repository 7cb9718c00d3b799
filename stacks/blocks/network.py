"""The address plan. The defaults leave room for 256 nodes with 110 pods each."""

from stacks.blocks.block import Block
from stacks.types import (
    ControlPlaneRange,
    Mtu,
    NetworkKey,
    PodsRange,
    PrefixLength,
    ServicesRange,
    SubnetRange,
)


class AcceleratorRanges(Block, frozen=True):
    """What the further interfaces of nodes get. All of it may talk to all of it."""

    range: SubnetRange = "192.168.0.0/16"
    """An IPv4 range, cut into one subnetwork for each interface."""
    prefix_length: PrefixLength = 24
    """Of each such subnetwork; 252 nodes fit a /24."""


class Network(Block, frozen=True):
    """The address plan of the cluster's VPC network."""

    mtu: Mtu = 8896
    """Largest packet; the default is the largest there is, which gives Lustre and NCCL about a
    tenth more."""
    subnet: SubnetRange = "10.0.0.0/20"
    """Range of the nodes."""
    pods: PodsRange = "10.8.0.0/16"
    """Range of the pods; 256 addresses a node at 110 pods."""
    services: ServicesRange = "10.9.0.0/20"
    """Range of the services."""
    control_plane: ControlPlaneRange = "10.10.4.0/28"
    """Range of the control plane, a /28."""

    def ranges(self) -> dict[str, str]:
        """Every range by the name of its field."""
        return {
            "subnet": self.subnet,
            "pods": self.pods,
            "services": self.services,
            "control_plane": self.control_plane,
        }


class DcnRange(Block, frozen=True):
    """A data-centre network between slices."""

    name: NetworkKey
    """Part of its cloud names."""
    range: SubnetRange
    """Its range, with an address for each node; 65,532 nodes fit a /16."""


class DcnNetwork(Network, frozen=True):
    """A network beside which TPU nodes have others for the traffic between slices, one for each
    further interface. 65,532 nodes fit a /16."""

    dcn: tuple[DcnRange, ...] = (
        DcnRange(name="net-1", range="10.50.0.0/16"),
        DcnRange(name="net-2", range="10.60.0.0/16"),
    )

    def own_ranges(self) -> dict[str, str]:
        """Those of the cluster's own network."""
        return super().ranges()

    def ranges(self) -> dict[str, str]:
        between = {f"dcn[{number}].range": one.range for number, one in enumerate(self.dcn)}
        return {**self.own_ranges(), **between}
