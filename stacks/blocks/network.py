"""The address plan. The defaults leave room for 256 nodes with 110 pods each."""

from typing import Annotated

from pydantic import Field

from components.private_service_access_policy import PeeringRemoval
from stacks.blocks.block import Block
from stacks.types import ControlPlaneRange, PeeringRange, PodsRange, ServicesRange, SubnetRange


class AcceleratorRanges(Block, frozen=True):
    """What the further interfaces of nodes get: `range`, cut into one subnetwork each.

    All of it may talk to all of it. 252 nodes fit a /24.
    """

    range: SubnetRange = "192.168.0.0/16"
    prefix_length: Annotated[int, Field(ge=8, le=29)] = 24


class Network(Block, frozen=True):
    """The default MTU is the largest there is: it gives Lustre and NCCL about a tenth more."""

    mtu: Annotated[int, Field(ge=1300, le=8896)] = 8896
    subnet: SubnetRange = "10.0.0.0/20"
    pods: PodsRange = "10.8.0.0/16"
    services: ServicesRange = "10.9.0.0/20"
    control_plane: ControlPlaneRange = "10.10.1.0/28"
    accelerators: AcceleratorRanges = AcceleratorRanges()

    def ranges(self) -> dict[str, str]:
        """Every range by the name of its field."""
        return {
            "subnet": self.subnet,
            "pods": self.pods,
            "services": self.services,
            "control_plane": self.control_plane,
        }


class PeeredNetwork(Network, frozen=True):
    """A network with private service access to Google's managed services."""

    peering: PeeringRange = "10.10.0.0/24"
    peering_on_destroy: PeeringRemoval = PeeringRemoval.REMOVE

    def ranges(self) -> dict[str, str]:
        return {**super().ranges(), "peering": self.peering}
