"""The address plan. The defaults leave room for 256 nodes with 110 pods each."""

from components.private_service_access_policy import PeeringRemoval
from stacks.blocks.block import Block
from stacks.types import (
    ControlPlaneRange,
    Mtu,
    NetworkKey,
    PeeringRange,
    PodsRange,
    PrefixLength,
    ServicesRange,
    SubnetRange,
)


class AcceleratorRanges(Block, frozen=True):
    """What the further interfaces of nodes get: `range`, cut into one subnetwork each.

    All of it may talk to all of it. 252 nodes fit a /24.
    """

    range: SubnetRange = "192.168.0.0/16"
    prefix_length: PrefixLength = 24


class Network(Block, frozen=True):
    """The default MTU is the largest there is: it gives Lustre and NCCL about a tenth more."""

    mtu: Mtu = 8896
    subnet: SubnetRange = "10.0.0.0/20"
    pods: PodsRange = "10.8.0.0/16"
    services: ServicesRange = "10.9.0.0/20"
    control_plane: ControlPlaneRange = "10.10.4.0/28"

    def ranges(self) -> dict[str, str]:
        """Every range by the name of its field."""
        return {
            "subnet": self.subnet,
            "pods": self.pods,
            "services": self.services,
            "control_plane": self.control_plane,
        }


class GpuNetwork(Network, frozen=True):
    """A network beside which GPU nodes have others for their further interfaces."""

    accelerators: AcceleratorRanges = AcceleratorRanges()


class PeeredNetwork(GpuNetwork, frozen=True):
    """One with private service access to Google's managed services. The default peering range holds
    two Managed Lustre instances, so that one can be made beside another."""

    peering: PeeringRange = "10.10.0.0/22"
    peering_on_destroy: PeeringRemoval = PeeringRemoval.REMOVE

    def ranges(self) -> dict[str, str]:
        return {**super().ranges(), "peering": self.peering}


class DcnRange(Block, frozen=True):
    """A data-centre network between slices: its name and its one range."""

    name: NetworkKey
    range: SubnetRange


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
