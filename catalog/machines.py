"""Compute Engine machine types as GKE node pools see them, and what GKE leaves of them to pods.

Source of the latter: GKE documentation, "Plan GKE Standard node sizes" (reservation tiers, eviction
thresholds, ephemeral storage on a boot disk and on local SSDs). From GKE 1.37 on the memory
reservation is the smaller of these tiers and a per-pod figure, so the tiers stay a safe upper
bound.
"""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from catalog.bounds import Bounds
from catalog.families import NvlinkDomain, UnbuiltFamily, UnbuiltTransport
from catalog.gke_version import GkeVersionField
from catalog.table import Fact, FactError, Table

DiskType = Literal["pd-standard", "pd-balanced", "pd-ssd", "hyperdisk-balanced"]
CapacityMode = Literal[
    "on-demand", "spot", "reservation", "any-reservation", "flex-start", "queued"
]
NicKind = Literal["gvnic", "rdma", "irdma"]
# Flex-start, and queued provisioning with it, are for accelerators (GKE documentation, "About GPU,
# TPU and H4D consumption with flex-start").
_ORDINARY: tuple[CapacityMode, ...] = ("on-demand", "spot", "reservation", "any-reservation")
_WITH_ACCELERATOR: tuple[CapacityMode, ...] = (*_ORDINARY, "flex-start", "queued")


MachineName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)+$", max_length=63)]


class Accelerator(Fact, use_attribute_docstrings=True):
    """The accelerators of one node."""

    kind: Literal["gpu", "tpu"]
    """GPUs or TPUs."""
    type: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
    """Value of GKE's accelerator label."""
    count: Annotated[int, Bounds(1, 64, "any machine has")]
    """How many a node has."""
    memory_gib: Annotated[int, Bounds(1, 4096, "any accelerator has")]
    """GiB of memory of each."""

    @property
    def resource(self) -> str:
        """The extended resource that pods ask for."""
        return "nvidia.com/gpu" if self.kind == "gpu" else "google.com/tpu"


class LocalSsd(Fact, use_attribute_docstrings=True):
    """Local SSD of one node."""

    count: Annotated[int, Bounds(1, 64, "any machine has")]
    """How many disks."""
    gib_each: Annotated[int, Bounds(1, 65_536, "any disk has")]
    """GiB of each."""


class NicGroup(Fact, use_attribute_docstrings=True):
    """Interfaces of one kind, in attach order."""

    kind: NicKind
    """Kind of interface: `rdma` is Google's MRDMA, of GPUs, and `irdma` that of H4D."""
    count: Annotated[int, Bounds(1, 32, "any machine has")]
    """How many."""
    role: Literal["host", "accelerator"]
    """host is the node's own traffic; accelerator is traffic between accelerators, or processes of
    one computation, with one network (gVNIC) or one subnetwork (RDMA) each."""


class Interface(Fact):
    """A further interface of a node: `name` names its network in Kubernetes, `device` is what pods
    see."""

    kind: NicKind
    name: str
    device: str


class MachineTypeFacts(Fact, use_attribute_docstrings=True):
    """A machine type without its name, the shape that a config adds under `catalog:`."""

    vcpus: Annotated[int, Bounds(1, 4096, "any machine has")]
    """vCPUs of a machine."""
    memory_gib: Annotated[float, Bounds(0.5, 65_536, "any machine has")]
    """GiB of memory."""
    accelerator: Accelerator | None = None
    """Its accelerators, if it has any."""
    local_ssd: LocalSsd | None = None
    """Its local disks, if it has any."""
    boot_disk_types: Annotated[tuple[DiskType, ...], Field(min_length=1)]
    """What may boot it, preferred first."""
    nics: Annotated[tuple[NicGroup, ...], Field(min_length=1)] = (
        NicGroup(kind="gvnic", count=1, role="host"),
    )
    """Its interfaces, the node's own first."""
    compact_placement: bool = False
    """Whether its nodes can be placed close together."""
    capacity: tuple[CapacityMode, ...] | None = None
    """Ways to have it; by default every way that machines with, or without, accelerators can."""
    minimum_gke: GkeVersionField | None = None
    """Oldest GKE version of a Standard cluster that runs it; by default any that is still
    served."""
    nccl: Annotated[str, Field(max_length=63)] | None = None
    """Entry of the version lock that its RDMA interfaces work with."""
    source: str | None = None
    """Where these facts come from."""

    @model_validator(mode="after")
    def _node_network_first(self) -> Self:
        first = self.nics[0]
        if (first.kind, first.role) != ("gvnic", "host"):
            raise ValueError(
                f"nics starts with {first.kind}/{first.role}, but GKE puts the node's own network "
                "on the first interface; nearest: gvnic/host first"
            )
        return self


class MachineType(MachineTypeFacts):
    """A machine type with its name."""

    name: str

    @property
    def family(self) -> str:
        """The series, such as "a4" or "ct6e"."""
        return self.name.partition("-")[0]

    @property
    def capacity_modes(self) -> tuple[CapacityMode, ...]:
        if self.capacity is not None:
            return self.capacity
        return _WITH_ACCELERATOR if self.accelerator else _ORDINARY

    @property
    def default_boot_disk(self) -> DiskType:
        return self.boot_disk_types[0]

    @property
    def rdma_nics(self) -> int:
        """Interfaces that need a RoCE network; 0 on machines without such RDMA."""
        return self.nics_of("rdma")

    def nics_of(self, kind: NicKind) -> int:
        return sum(group.count for group in self.nics if group.kind == kind)

    @property
    def additional_interfaces(self) -> tuple[Interface, ...]:
        """Interfaces beyond the one on the cluster's own network, in attach order.

        Google's manifests count gVNICs with that first one, so from 1 on, and RDMA from 0 on.
        """
        kinds: list[NicKind] = [group.kind for group in self.nics for _ in range(group.count)]
        return tuple(
            Interface(kind=kind, name=f"{kind}-{kinds[:place].count(kind)}", device=f"eth{place}")
            for place, kind in enumerate(kinds)
            if place > 0
        )


class NodeOverhead(Fact):
    """What a node loses besides GKE's published reservation.

    `memory_percent` is the share of the machine's memory that the kernel and firmware keep;
    `daemonset_*` is set aside for the DaemonSets that GKE runs on every node.
    """

    memory_percent: Annotated[float, Field(ge=0, lt=100)]
    daemonset_cpu_millicores: Annotated[int, Field(ge=0)]
    daemonset_memory_mib: Annotated[int, Field(ge=0)]
    source: str


class Sidecar(Fact):
    """What a container that GKE adds to a pod requests when nothing else is said."""

    cpu_millicores: PositiveInt
    memory_mib: PositiveInt
    ephemeral_storage_mib: PositiveInt
    source: str


class GcsFuseFacts(Fact):
    """What Cloud Storage FUSE takes of its sidecar: memory for each file that it streams, and
    blocks, of which each such file has one.

    `blocks` is its own default on ordinary machines, `most_blocks` on the largest. On those it also
    renames a directory of up to `rename_dir_limit` files in a flat bucket, on others none at all.
    """

    streamed_file_mib: PositiveInt
    blocks: PositiveInt
    most_blocks: PositiveInt
    rename_dir_limit: PositiveInt
    source: str


class MachineTable(Table):
    overhead: NodeOverhead
    gcsfuse_sidecar: Sidecar
    gcsfuse_prefetch: Sidecar
    gcsfuse: GcsFuseFacts
    unbuilt_families: dict[str, UnbuiltFamily]
    unbuilt_transports: dict[str, UnbuiltTransport]
    nvlink_domains: dict[str, NvlinkDomain]
    machine_types: dict[str, MachineTypeFacts]

    def check_buildable(self, machine: str) -> None:
        """Raises FactError for a machine of a family that no pool here can be made of."""
        for family, facts in self.unbuilt_families.items():
            if machine.startswith(f"{family}-"):
                raise FactError(f"no pool can be made of it: {facts.why}; nearest: {facts.nearest}")


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
