"""Nodes: pools of a Standard cluster, and on Autopilot what pods ask for. No Pulumi import."""

from typing import Literal

from pydantic import Field

from catalog import GpuDriver
from stacks.block import Block
from stacks.parts.pools.capacity import Capacity, OnDemand
from stacks.parts.pools.nodes import Autoscaling, Disk
from stacks.parts.pools.tpu_slices import LibtpuFlag
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
    """Key of the taint."""
    value: str = ""
    """Value of the taint."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = "NoSchedule"
    """What happens to pods that do not tolerate it."""


class Pool(Block, frozen=True):
    """Machines of one type, with GPUs, TPUs or neither.

    Machines with TPUs come in slices of one `topology`, each whole or not there at all. They take
    no `nodes`, which follow from the topology.
    """

    machine_type: MachineTypeName
    """A machine type that the zone offers."""
    nodes: NodeCount | None = None
    """Machines that the workloads use; without `autoscaling` the pool stays at it."""
    zone: Zone | None = None
    """Zone of the nodes; by default the stack's."""
    capacity: Capacity = OnDemand()
    """How the machines are had."""
    autoscaling: Autoscaling | None = None
    """Bounds; by default the pool does not scale."""
    disk: Disk = Disk()
    """Boot disk of each node."""
    max_pods_per_node: PodsPerNode = 110
    """Most pods on a node."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Kubernetes labels of the nodes."""
    taints: tuple[Taint, ...] = ()
    """Kubernetes taints of the nodes. What the stack or a queue sends there tolerates them."""
    driver_version: GpuDriver = GpuDriver.LATEST
    """NVIDIA driver that GKE installs; only with GPUs."""
    compact_placement: bool = False
    """Nodes close together, all from one zone; only with GPUs."""
    topology: TopologyName | None = None
    """Shape of a slice; only with TPUs."""
    slices: SliceNumbers | None = None
    """How many slices, which are numbered from 0, or a list of their numbers; only with TPUs."""
    threads_per_core: Literal[1, 2] = 1
    """1 or 2; with 1 a node has half its vCPUs; only with TPUs."""
    libtpu_flags: tuple[LibtpuFlag, ...] | None = None
    """Flags of libtpu and Megascale; by default those that v6e trains well with; only with TPUs."""


# Where the cluster's own pods run, in a Standard cluster whose stack names no such pool; two nodes,
# so that an upgrade leaves one.
CPU_POOL = "cpu"
DEFAULT_CPU_POOL = Pool(machine_type="e2-standard-4", nodes=2)
