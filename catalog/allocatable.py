"""What GKE leaves to pods on a node.

Source: GKE documentation, "Plan GKE Standard node sizes" (reservation tiers, eviction thresholds,
ephemeral storage on a boot disk and on local SSDs).
From GKE 1.37 on the memory reservation is the smaller of these tiers and a per-pod figure, so the
tiers stay a safe upper bound.
"""

from itertools import pairwise

from catalog.machines import MachineType, NodeOverhead
from catalog.table import Fact

# (up to this many cores, micro-cores reserved for each core in the tier)
_CPU_TIERS = ((1, 60_000), (2, 10_000), (4, 5_000), (float("inf"), 2_500))
# (up to this many GiB, percent reserved in the tier)
_MEMORY_TIERS = ((4, 25), (8, 20), (16, 10), (128, 6), (float("inf"), 2))
_EVICTION_MIB = 100
_EVICTION_STORAGE_PERCENT = 10
# GiB that GKE reserves on one, two, and three or more local SSDs.
_SSD_RESERVED_GIB = (50, 75, 100)
# The size of a boot disk that nobody asked for.
DEFAULT_DISK_GB = 100


class Allocatable(Fact):
    """Resources that pods of one node can request together."""

    cpu_millicores: int
    memory_mib: int
    ephemeral_storage_mib: int
    accelerators: int


def _tiered(amount: float, tiers: tuple[tuple[float, int], ...]) -> float:
    bounds = (0.0, *(upper for upper, _ in tiers))
    return sum(
        max(0.0, min(amount, upper) - lower) * rate
        for (lower, upper), (_, rate) in zip(pairwise(bounds), tiers, strict=True)
    )


def reserved_cpu_millicores(vcpus: int) -> int:
    """Millicores that GKE reserves, rounded up."""
    return -(-int(_tiered(vcpus, _CPU_TIERS)) // 1000)


def reserved_memory_mib(memory_gib: float) -> int:
    """MiB that GKE reserves, rounded up; the eviction threshold of 100 MiB is not in it."""
    return -int(-_tiered(memory_gib, _MEMORY_TIERS) * 1024 // 100)


def ephemeral_storage_mib(machine: MachineType, disk_gb: int) -> int:
    """What pods can write: on the local SSDs of a machine that has them, else on the boot disk."""
    if machine.local_ssd is None:
        size = disk_gb * 10**9 / 2**30
        reserved = min(size / 2, 6 + 0.35 * size, 100)
    else:
        size = machine.local_ssd.count * machine.local_ssd.gib_each
        reserved = _SSD_RESERVED_GIB[min(machine.local_ssd.count, 3) - 1]
    return max(0, int((size * (100 - _EVICTION_STORAGE_PERCENT) / 100 - reserved) * 1024))


def allocatable(
    machine: MachineType, overhead: NodeOverhead, disk_gb: int, threads_per_core: int = 2
) -> Allocatable:
    """Machine size less GKE's reservation, the eviction threshold, and `overhead`.

    With one thread a core half of the vCPUs are not there. Never below zero, so that a machine too
    small for GKE shows as empty.
    """
    vcpus = machine.vcpus if threads_per_core == 2 else machine.vcpus // 2
    cpu = vcpus * 1000 - reserved_cpu_millicores(vcpus)
    visible_mib = int(machine.memory_gib * 1024 * (100 - overhead.memory_percent) / 100)
    memory = visible_mib - reserved_memory_mib(machine.memory_gib) - _EVICTION_MIB
    return Allocatable(
        cpu_millicores=max(0, cpu - overhead.daemonset_cpu_millicores),
        memory_mib=max(0, memory - overhead.daemonset_memory_mib),
        ephemeral_storage_mib=ephemeral_storage_mib(machine, disk_gb),
        accelerators=machine.accelerator.count if machine.accelerator else 0,
    )
