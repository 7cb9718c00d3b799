"""TPU slices: how many of which shape, and how they are had."""

from typing import Literal

from stacks.block import Block
from stacks.parts.pools.capacity import Capacity, OnDemand
from stacks.parts.pools.nodes import Disk
from stacks.types import (
    FlagName,
    FlagValue,
    MachineTypeName,
    PodsPerNode,
    SliceNumbers,
    TopologyName,
)


class LibtpuFlag(Block, frozen=True):
    """A flag of libtpu's."""

    name: FlagName
    """Begins with `xla_` or `megascale_`."""
    value: FlagValue | None = None
    """Without a value the flag is switched on by being there."""

    @property
    def argument(self) -> str:
        return f"--{self.name}" if self.value is None else f"--{self.name}={self.value}"


# Overlaps communication between chips with computing (the scenario's recipe for v6e).
DEFAULT_FLAGS = tuple(
    LibtpuFlag(name=name, value=value)
    for name, value in (
        ("xla_tpu_scoped_vmem_limit_kib", "122880"),
        ("xla_tpu_use_minor_sharding_for_major_trivial_input", "true"),
        ("xla_tpu_relayout_group_size_threshold_for_reduce_scatter", "1"),
        ("xla_tpu_assign_all_reduce_scatter_layout", None),
        ("xla_tpu_enable_async_collective_fusion_fuse_all_gather", "true"),
        ("xla_tpu_enable_async_collective_fusion_multiple_steps", "true"),
        ("xla_tpu_overlap_compute_collective_tc", "true"),
        ("xla_enable_async_all_gather", "true"),
    )
)


class TpuSlices(Block, frozen=True):
    """Slices of one `topology`, each a node pool of its own: whole, or not there at all.

    `slices` is how many, which are numbered from 0, or their numbers: [1] is what stays of two
    when the first goes.
    """

    machine_type: MachineTypeName = "ct6e-standard-4t"
    topology: TopologyName = "4x4"
    slices: SliceNumbers
    capacity: Capacity = OnDemand()
    threads_per_core: Literal[1, 2] = 1
    disk: Disk = Disk()
    max_pods_per_node: PodsPerNode = 110
    libtpu_flags: tuple[LibtpuFlag, ...] = DEFAULT_FLAGS
