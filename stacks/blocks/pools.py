"""Node pools and the capacity that they are made of."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt

from catalog import DiskType, GpuDriver
from stacks.blocks.block import Block
from stacks.types import MachineTypeName, Nodes


class OnDemand(Block, frozen=True):
    mode: Literal["on-demand"] = "on-demand"


class Spot(Block, frozen=True):
    """Cheaper, and taken away whenever Google wants it back."""

    mode: Literal["spot"] = "spot"


Capacity = Annotated[OnDemand | Spot, Field(discriminator="mode")]


class Autoscaling(Block, frozen=True):
    min: NonNegativeInt
    max: Nodes


class Disk(Block, frozen=True):
    """`type` defaults to what the machine type boots from best."""

    size_gb: Annotated[int, Field(ge=20, le=65536)] = 100
    type: DiskType | None = None


class NodePool(Block, frozen=True):
    """`nodes` is the size that the workloads use; without `autoscaling` the pool stays at it."""

    machine_type: MachineTypeName
    nodes: Nodes
    autoscaling: Autoscaling | None = None
    capacity: Capacity = OnDemand()
    disk: Disk = Disk()
    max_pods_per_node: Annotated[int, Field(ge=8, le=256)] = 110

    @property
    def bounds(self) -> Autoscaling:
        return self.autoscaling or Autoscaling(min=self.nodes, max=self.nodes)

    @property
    def spot(self) -> bool:
        return isinstance(self.capacity, Spot)


class CpuPool(NodePool, frozen=True):
    """Where the cluster's own pods run; two, so that an upgrade leaves one."""

    machine_type: MachineTypeName = "e2-standard-4"
    nodes: Nodes = 2


class GpuPool(NodePool, frozen=True):
    driver_version: GpuDriver = GpuDriver.LATEST
