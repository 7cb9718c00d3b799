"""What a node leaves to pods, and how many of them find room on nodes of one kind. No Pulumi
import."""

from dataclasses import astuple, dataclass
from fractions import Fraction
from operator import add, sub
from typing import Self

from catalog import Allocatable, MachineType, Sidecar
from stacks.types import Resources

_MIB = 1024


@dataclass(frozen=True)
class Host:
    """A machine and what it leaves to pods."""

    machine: MachineType
    node: Allocatable

    @property
    def name(self) -> str:
        return self.machine.name


@dataclass(frozen=True)
class Amounts:
    """What a pod or its containers ask for, or what a node has left."""

    cpu_millicores: int = 0
    memory_mib: int = 0
    ephemeral_storage_mib: int = 0
    gpus: int = 0
    chips: int = 0

    @classmethod
    def of_node(cls, host: Host) -> Self:
        node, accelerator = host.node, host.machine.accelerator
        gpus = node.accelerators if accelerator and accelerator.kind == "gpu" else 0
        return cls(
            node.cpu_millicores,
            node.memory_mib,
            node.ephemeral_storage_mib,
            gpus,
            node.accelerators - gpus,
        )

    @classmethod
    def of_pod(
        cls, requests: Resources, gpus: int, sidecar: Sidecar | None = None, *, chips: int = 0
    ) -> Self:
        """`sidecar` is what GKE puts beside the pod's container."""
        storage = (requests.ephemeral_storage_gib or 0) * _MIB
        own = cls(requests.millicores, requests.memory_gib * _MIB, storage, gpus, chips)
        return own if sidecar is None else own + cls.of_sidecar(sidecar)

    @classmethod
    def of_sidecar(cls, sidecar: Sidecar) -> Self:
        return cls(sidecar.cpu_millicores, sidecar.memory_mib, sidecar.ephemeral_storage_mib)

    def __add__(self, other: Self) -> Self:
        return type(self)(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: Self) -> Self:
        return type(self)(*map(sub, astuple(self), astuple(other)))

    def holds(self, pod: Self) -> int:
        """How many such pods fit at once; none where something is overdrawn."""
        pairs = zip(astuple(self), astuple(pod), strict=True)
        return max(0, min(have // wanted for have, wanted in pairs if wanted))


def pods_beside(node: Amounts, nodes: int, guest: Amounts, pod: Amounts) -> int:
    """How many of `pod` fit on `nodes` of which one has `guest`; it is the best there is, for
    wherever `guest` goes, all other nodes are alike. None where `guest` has no room."""
    if node.holds(guest) == 0:
        return 0
    return (node - guest).holds(pod) + (nodes - 1) * node.holds(pod)


def pods_surely_beside(node: Amounts, nodes: int, guest: Amounts, guests: int, pod: Amounts) -> int:
    """How many of `pod` have room on `nodes` wherever the scheduler has put so many `guests`.

    What a node loses to its guests is taken from the concave line above it, so the answer may be
    one too few and is never too many.
    """
    lost, before = Fraction(0), node.holds(pod)
    left = guests
    for width, slope in _steepest(_losses(node, guest, pod)):
        taken = min(left, nodes * width)
        lost += taken * slope
        left -= taken
    return nodes * before - int(lost)


def _losses(node: Amounts, guest: Amounts, pod: Amounts) -> list[int]:
    """By number of guests on a node, how many pods fewer it holds."""
    before, found, rest = node.holds(pod), [0], node
    for _ in range(node.holds(guest)):
        rest -= guest
        found.append(before - rest.holds(pod))
    return found


def _steepest(losses: list[int]) -> list[tuple[int, Fraction]]:
    """The pieces, by width and slope, of the lowest concave line that is nowhere below."""
    found: list[tuple[int, Fraction]] = []
    at = 0
    while at < len(losses) - 1:
        ahead = range(at + 1, len(losses))
        slopes = {to: Fraction(losses[to] - losses[at], to - at) for to in ahead}
        best = max(ahead, key=lambda to: (slopes[to], to))
        found.append((best - at, slopes[best]))
        at = best
    return found
