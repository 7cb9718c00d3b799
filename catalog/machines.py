"""Compute Engine machine types as GKE node pools see them, and what GKE leaves of them to pods."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from .bounds import Bounds
from .families import NvlinkDomain, UnbuiltFamily, UnbuiltTransport
from .gke_version import GkeVersion, GkeVersionField
from .node_room import MIB, NodeRoomTable, NodeShape
from .table import Fact, FactError, Table, folded, names_alike
from .text_check import like

DiskType = Literal["pd-standard", "pd-balanced", "pd-ssd", "hyperdisk-balanced"]
CapacityMode = Literal[
    "on-demand", "spot", "reservation", "any-reservation", "flex-start", "queued"
]
NicKind = Literal["gvnic", "rdma", "irdma"]
# Flex-start, and queued provisioning with it, are for accelerators (GKE documentation, "About GPU,
# TPU and H4D consumption with flex-start").
_ORDINARY: tuple[CapacityMode, ...] = ("on-demand", "spot", "reservation", "any-reservation")
_WITH_ACCELERATOR: tuple[CapacityMode, ...] = (*_ORDINARY, "flex-start", "queued")


_TPU_LABEL = re.compile(r"^tpu-?|-(pod)?slice$")
_GPU_LABEL = re.compile(r"^nvidia-|-\d+gb$")

# What every maker's accelerators are called.
_SAY_NOTHING = frozenset({"nvidia", "google", "cloud"})
_MOST_MEANT = 4

MachineName = Annotated[
    str,
    Field(max_length=63),
    like(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", "the name of a machine type", "z9-standard-8"),
]
AcceleratorType = Annotated[
    str,
    like(r"[a-z0-9][a-z0-9-]{0,62}", "a value of GKE's accelerator label", "nvidia-l4"),
]


class Accelerator(Fact, use_attribute_docstrings=True):
    """The accelerators of one node."""

    kind: Literal["gpu", "tpu"]
    """GPUs or TPUs."""
    type: AcceleratorType
    """Value of GKE's accelerator label."""
    count: Annotated[int, Bounds(1, 64, "any machine has")]
    """How many a node has."""
    memory_gib: Annotated[int, Bounds(1, 4096, "any accelerator has")]
    """GiB of memory of each."""

    @property
    def model(self) -> str:
        """As people call it, such as H200 or TPU v6e."""
        if self.kind == "tpu":
            return f"TPU {_TPU_LABEL.sub('', self.type)}"
        return _GPU_LABEL.sub("", self.type).replace("-", " ").upper()

    @property
    def words(self) -> frozenset[str]:
        """The words that it is called by: `tpu`, `v6e`, `h100`."""
        return frozenset({self.kind, *self.type.split("-")})

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
    """`host` for the node's own traffic, `accelerator` for that between accelerators or
    processes."""


class Interface(Fact):
    """A further interface of a node: `name` names its network in Kubernetes, `device` is what pods
    see."""

    kind: NicKind
    name: str
    device: str


def machines_meant(text: str, machines: Mapping[str, "MachineType"]) -> tuple[str, ...]:
    """The machine types that a text may stand for, best first: those whose accelerator it names,
    such as "L4" or "nvidia-h100-80gb", the smallest first; else those that are spelt like it."""
    words = {*folded(text).split("-")} - _SAY_NOTHING
    having = [
        it for it in machines.values() if it.accelerator and words and words <= it.accelerator.words
    ]
    if having and folded(text) not in machines:
        having.sort(key=lambda it: (it.accelerator.count if it.accelerator else 0, it.vcpus))
        return tuple(it.name for it in having)[:_MOST_MEANT]
    return names_alike(text, machines)


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
    not_compact_on: tuple[CapacityMode, ...] = ()
    """Ways to have it without compact placement."""
    sub_block_machines: Annotated[int, Bounds(1, 1024, "any sub-block has")] | None = None
    """Machines of a sub-block of a reservation, where that is known."""
    capacity: tuple[CapacityMode, ...] | None = None
    """Ways to have it; by default all."""
    minimum_gke: GkeVersionField | None = None
    """Oldest GKE version that runs it on Standard."""
    nccl: Annotated[str, Field(max_length=63)] | None = None
    """Entry of the version lock that its RDMA interfaces work with."""
    source: str | None = None
    """Where these facts come from."""

    @property
    def wrong_first_nic(self) -> tuple[str, str] | None:
        """The key of the first interface that is not as GKE has it, and why."""
        first = self.nics[0]
        wanted = {"kind": "gvnic", "role": "host"}
        for key, value in wanted.items():
            if getattr(first, key) != value:
                return key, (
                    f"nics starts with {first.kind}/{first.role}, but GKE puts the node's own "
                    f"network on the first interface; nearest: {value}"
                )
        return None


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

    @property
    def speaks_rdma(self) -> bool:
        """By any of its interfaces."""
        return self.nics_of("rdma") + self.nics_of("irdma") > 0

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


class Sidecar(Fact):
    """What a container that GKE adds to a pod requests when nothing else is said."""

    cpu_millicores: PositiveInt
    memory_mib: PositiveInt
    ephemeral_storage_mib: PositiveInt
    source: str


class WriteBenchmark(Fact):
    """Google's own measurement of sequential writes from one machine, `files` at once."""

    gb_per_s: PositiveFloat
    files: PositiveInt
    source: str

    def seconds(self, size: int, file_size: int) -> float:
        """Time that a machine takes for `size` bytes in files of `file_size`, all at once: none is
        faster than one of the benchmark's, and all together no faster than those."""
        together = self.gb_per_s * 1e9
        one = together / self.files
        return max(min(size, file_size) / one, size / together)


class GcsFuseFacts(Fact):
    """What Cloud Storage FUSE takes of its sidecar: memory for each file that it streams, and
    blocks, of which each such file has one.

    `blocks` is its own default on ordinary machines, `most_blocks` on `large_machines`. On those it
    also renames a directory of up to `rename_dir_limit` files in a flat bucket, on others none at
    all. `mended` are the first versions of minors of GKE whose earlier ones may not mount buckets.
    """

    streamed_file_mib: PositiveInt
    blocks: PositiveInt
    most_blocks: PositiveInt
    large_machines: tuple[str, ...]
    benchmark: WriteBenchmark
    mended: tuple[GkeVersionField, ...]
    mended_source: str
    rename_dir_limit: PositiveInt
    source: str

    def mended_by(self, version: GkeVersion) -> GkeVersion | None:
        """The first version of its minor that mounts buckets on all nodes, where some do not."""
        minors = {(it.major, it.minor): it for it in self.mended}
        return minors.get((version.major, version.minor))


class MachineTable(Table):
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
                raise FactError(
                    f'"{machine}": no pool can be made of it: {facts.why}; nearest: {facts.nearest}'
                )


class Allocatable(Fact):
    """Resources that pods of one node can request together."""

    cpu_millicores: int
    memory_mib: int
    ephemeral_storage_mib: int
    accelerators: int


def allocatable(shape: NodeShape, table: NodeRoomTable, accelerators: int) -> Allocatable:
    """What the node's status has as allocatable, less what is set aside for GKE's DaemonSets."""
    room, own = table.room(shape), table.daemonsets
    return Allocatable(
        cpu_millicores=max(0, room.cpu_millicores - own.cpu_millicores),
        memory_mib=max(0, room.memory // MIB - own.memory_mib),
        ephemeral_storage_mib=room.disk // MIB,
        accelerators=accelerators,
    )
