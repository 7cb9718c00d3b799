"""Nodes: pools of a Standard cluster, and on Autopilot what pods ask for. No Pulumi import."""

from typing import Literal

from pydantic import Field

from catalog import GpuDriver
from stacks.blocks.block import Block
from stacks.blocks.capacity import Capacity, OnDemand
from stacks.blocks.pools import Autoscaling, Disk
from stacks.blocks.tpu_slices import LibtpuFlag
from stacks.types import (
    MachineTypeName,
    NodeCount,
    PodsPerNode,
    SliceNumbers,
    TopologyName,
    Zone,
)


class Taint(Block, frozen=True):
    """Keeps pods away that do not tolerate it; those of this stack do."""

    key: str
    value: str = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = "NoSchedule"


class Pool(Block, frozen=True):
    """Machines of one type, with GPUs, TPUs or neither.

    `nodes` is the size that workloads use; without `autoscaling` the pool stays at it. `zone`
    defaults to the stack's. `labels` and `taints` are Kubernetes'. Machines with GPUs take
    `driver_version` and `compact_placement`, which puts the nodes close together.

    Machines with TPUs come in slices of one `topology`, each whole or not there at all: `slices` is
    how many, which are numbered from 0, or their numbers. They take `threads_per_core` and
    `libtpu_flags`, and no `nodes`, which follow from the topology.
    """

    machine_type: MachineTypeName
    nodes: NodeCount | None = None
    zone: Zone | None = None
    capacity: Capacity = OnDemand()
    autoscaling: Autoscaling | None = None
    disk: Disk = Disk()
    max_pods_per_node: PodsPerNode = 110
    labels: dict[str, str] = Field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    driver_version: GpuDriver = GpuDriver.LATEST
    compact_placement: bool = False
    topology: TopologyName | None = None
    slices: SliceNumbers | None = None
    threads_per_core: Literal[1, 2] = 1
    libtpu_flags: tuple[LibtpuFlag, ...] | None = None


# Where the cluster's own pods run, in a Standard cluster whose stack names no such pool; two nodes,
# so that an upgrade leaves one.
CPU_POOL = "cpu"
DEFAULT_CPU_POOL = Pool(machine_type="e2-standard-4", nodes=2)
