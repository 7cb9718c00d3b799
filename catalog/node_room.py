"""What GKE leaves of a node to pods, counted as GKE's own autoscaler foretells it.

Its numbers are in data/node_room.yaml, each with its source. Of memory a node's own firmware takes
what no table has: the largest nodes that others published leave up to 46 MiB less than this says.
From GKE 1.37 on a node may leave more.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from .table import Fact, Table

Architecture = Literal["amd64", "arm64"]
MIB = 2**20
GIB = 2**30
# The size of a boot disk, and the most pods of a node, where nobody asks for another.
DEFAULT_DISK_GB = 100
DEFAULT_PODS = 110

Share = Annotated[float, Field(ge=0, le=1)]


class MeasuredSize(Fact):
    """Bytes that the operating system keeps of a disk or memory of one size; `least` where versions
    differ."""

    gib: PositiveFloat
    bytes: PositiveInt
    least: PositiveInt | None = None


class OperatingSystem(Fact):
    disk: dict[Architecture, tuple[MeasuredSize, ...]]
    memory: dict[Architecture, tuple[MeasuredSize, ...]]
    source: str


class LocalSsdOverhead(Fact):
    gib_each: PositiveInt
    overhead_kib: dict[PositiveInt, PositiveInt]
    source: str


class Bracket(Fact):
    """The share that is reserved of what is above a bound, up to the next bound."""

    above: Annotated[int, Field(ge=0)]
    share: Share


class ManyPods(Fact):
    above: PositiveInt
    millicores: PositiveInt


class SmallMemory(Fact):
    up_to_mib: PositiveInt
    mib: PositiveInt


class DiskReservation(Fact):
    half: Share
    gib: PositiveInt
    share: Share
    most_gib: PositiveInt


class KubeReserved(Fact):
    cpu: tuple[Bracket, ...]
    many_pods: ManyPods
    shared_cores: dict[str, PositiveInt]
    memory: tuple[Bracket, ...]
    small_memory: SmallMemory
    image_streaming_share: Share
    disk: DiskReservation
    local_ssd_gib: tuple[int, int, int]
    source: str


class Eviction(Fact):
    memory_mib: PositiveInt
    disk_percent: PositiveInt
    source: str


class DaemonPods(Fact):
    """Names of DaemonSets; those of Lustre are there with its driver."""

    every: tuple[str, ...]
    gpu: tuple[str, ...]
    tpu: tuple[str, ...]
    lustre: tuple[str, ...]

    def on(self, kind: str, *, lustre: bool) -> int:
        """How many pods GKE itself has at least on a node with accelerators of the kind."""
        own = {"gpu": self.gpu, "tpu": self.tpu}.get(kind, ())
        return len((*self.every, *own, *(self.lustre if lustre else ())))


class DaemonSets(Fact):
    """What is set aside for the DaemonSets that GKE runs on every node."""

    pods: DaemonPods
    pods_source: str
    cpu_millicores: Annotated[int, Field(ge=0)]
    memory_mib: Annotated[int, Field(ge=0)]
    source: str


@dataclass(frozen=True, kw_only=True)
class NodeShape:
    """What decides how much of a node is left: `local_ssds` of `gib_each` are one file system that
    pods write to in place of the boot disk."""

    machine_type: str
    vcpus: int
    memory_gib: float
    disk_gb: int = DEFAULT_DISK_GB
    local_ssds: int = 0
    gib_each: int = 375
    threads_per_core: int = 2
    max_pods: int = DEFAULT_PODS
    image_streaming: bool = False
    architecture: Architecture = "amd64"

    @property
    def millicores(self) -> int:
        """With one thread a core half of the vCPUs are not there."""
        return (self.vcpus if self.threads_per_core == 2 else self.vcpus // 2) * 1000

    @property
    def memory_bytes(self) -> int:
        return int(self.memory_gib * GIB)


@dataclass(frozen=True, kw_only=True)
class NodeRoom:
    """A node's capacity and allocatable resources, as its status has them."""

    cpu_millicores: int
    memory_capacity: int
    memory: int
    disk_capacity: int
    disk: int


class NodeRoomTable(Table):
    operating_system: OperatingSystem
    local_ssd: LocalSsdOverhead
    kube_reserved: KubeReserved
    eviction: Eviction
    daemonsets: DaemonSets

    def room(self, shape: NodeShape) -> NodeRoom:
        """What the node's status says; never below zero, so that a machine too small for GKE shows
        as empty."""
        memory_capacity = shape.memory_bytes - self.system_memory(shape)
        memory = memory_capacity - MIB * (self.reserved_mib(shape) + self.eviction.memory_mib)
        disk_capacity = self._disk_capacity(shape)
        evicted = int(disk_capacity * _float32(self.eviction.disk_percent / 100))
        disk = disk_capacity - GIB * self._reserved_disk_gib(shape) - evicted
        return NodeRoom(
            cpu_millicores=max(0, shape.millicores - self.reserved_millicores(shape)),
            memory_capacity=max(0, memory_capacity),
            memory=max(0, memory),
            disk_capacity=max(0, disk_capacity),
            disk=max(0, disk),
        )

    def system_memory(self, shape: NodeShape, *, least: bool = False) -> int:
        """Bytes that the kernel and firmware keep: of the version that keeps most, or `least`."""
        measured = self.operating_system.memory[shape.architecture]
        points = [(it.gib, (it.least or it.bytes) if least else it.bytes) for it in measured]
        return _on_a_line(points, shape.memory_bytes)

    def reserved_millicores(self, shape: NodeShape) -> int:
        reserved = self.kube_reserved
        there = reserved.shared_cores.get(shape.machine_type)
        missing = 0 if there is None else shape.millicores - there
        pods = reserved.many_pods
        more = pods.millicores if shape.max_pods > pods.above else 0
        return _of_brackets(shape.millicores - missing, reserved.cpu) + missing + more

    def reserved_mib(self, shape: NodeShape) -> int:
        """MiB for the kubelet and the system; the eviction threshold is not in it."""
        memory, reserved = shape.memory_bytes // MIB, self.kube_reserved
        if memory <= reserved.small_memory.up_to_mib:
            return reserved.small_memory.mib if memory > 0 else 0
        own = _of_brackets(memory, reserved.memory)
        share = reserved.image_streaming_share if shape.image_streaming else 0.0
        return own + _of_brackets(memory, reserved.memory, share)

    def _disk_capacity(self, shape: NodeShape) -> int:
        if not shape.local_ssds:
            measured = self.operating_system.disk[shape.architecture]
            points = [(it.gib, it.bytes) for it in measured]
            return shape.disk_gb * GIB - _on_a_line(points, shape.disk_gb * GIB)
        size = shape.local_ssds * shape.gib_each * GIB
        return size - self._file_system_bytes(shape.local_ssds, size)

    def _file_system_bytes(self, disks: int, size: int) -> int:
        known = self.local_ssd.overhead_kib
        count = min((it for it in known if it >= disks), default=max(known))
        measured = count * self.local_ssd.gib_each * GIB
        overhead = known[count] * 1024
        return overhead if size <= measured else -(-overhead * size // measured)

    def _reserved_disk_gib(self, shape: NodeShape) -> int:
        reserved = self.kube_reserved
        if shape.local_ssds:
            return reserved.local_ssd_gib[min(shape.local_ssds, 3) - 1]
        disk = reserved.disk
        half = int(disk.half * shape.disk_gb)
        return min(half, disk.gib + int(disk.share * shape.disk_gb), disk.most_gib)


def _of_brackets(amount: int, brackets: Sequence[Bracket], share: float = 1.0) -> int:
    """The sum over the brackets, in the order and precision of the autoscaler's own."""
    ends = [*(it.above for it in brackets[1:]), amount]
    return int(
        sum(
            max(0.0, (min(amount, end) - it.above) * (it.share * share))
            for it, end in zip(brackets, ends, strict=True)
        )
    )


def _on_a_line(points: Sequence[tuple[float, int]], size: int) -> int:
    """Between the two measured sizes around it, of which nothing is the first; past the last, on
    the line through the last two."""
    sizes = [(0, 0), *((int(gib * GIB), kept) for gib, kept in points)]
    lines = list(pairwise(sizes))
    (low, of_low), (high, of_high) = next((line for line in lines if size <= line[1][0]), lines[-1])
    if size == high:
        return of_high
    return of_low + int((size - low) / (high - low) * (of_high - of_low))


def _float32(value: float) -> float:
    """As the kubelet keeps a percentage."""
    (kept,) = struct.unpack("f", struct.pack("f", value))
    return kept
