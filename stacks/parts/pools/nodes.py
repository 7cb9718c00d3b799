"""Nodes: pools of a Standard cluster, and what pods ask an Autopilot cluster for."""

from catalog import DiskType, GpuDriver
from stacks.block import Block
from stacks.parts.pools.capacity import Capacity, OnDemand
from stacks.types import DiskGb, LeastNodes, MachineTypeName, NodeCount, PodsPerNode


class Autoscaling(Block, frozen=True):
    """Bounds of a pool that scales."""

    min: LeastNodes
    """Fewest nodes."""
    max: NodeCount
    """Most nodes."""


class Disk(Block, frozen=True):
    """Boot disk of a node."""

    size_gb: DiskGb = 100
    """Size in GB."""
    type: DiskType | None = None
    """Kind of disk; by default what the machine type boots from best."""


class Nodes(Block, frozen=True):
    """Machines of one type. `nodes` is the size that the workloads use."""

    machine_type: MachineTypeName
    nodes: NodeCount
    capacity: Capacity = OnDemand()


class NodePool(Nodes, frozen=True):
    """Without `autoscaling` the pool stays at `nodes`."""

    autoscaling: Autoscaling | None = None
    disk: Disk = Disk()
    max_pods_per_node: PodsPerNode = 110

    @property
    def bounds(self) -> Autoscaling:
        return self.autoscaling or Autoscaling.model_construct(min=self.nodes, max=self.nodes)


class GpuPool(NodePool, frozen=True):
    """`compact_placement` puts the nodes close together, and takes them from one zone alone."""

    driver_version: GpuDriver = GpuDriver.LATEST
    compact_placement: bool = False
