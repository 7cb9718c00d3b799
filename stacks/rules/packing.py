"""How many pods of one kind find room on nodes of one kind."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from catalog import Sidecar
from stacks.resources import Resources
from stacks.rules.ray_fit import Host

_MIB = 1024


@dataclass(frozen=True, kw_only=True)
class Amounts:
    """What a pod asks for, or what a node has left."""

    cpu_millicores: int
    memory_mib: int
    ephemeral_storage_mib: int
    gpus: int

    @classmethod
    def of_node(cls, host: Host) -> Self:
        return cls(
            cpu_millicores=host.node.cpu_millicores,
            memory_mib=host.node.memory_mib,
            ephemeral_storage_mib=host.node.ephemeral_storage_mib,
            gpus=host.node.accelerators,
        )

    @classmethod
    def of_pod(cls, requests: Resources, gpus: int, sidecar: Sidecar | None = None) -> Self:
        """`sidecar` is what GKE puts beside the pod's container."""
        storage = (requests.ephemeral_storage_gib or 0) * _MIB
        return cls(
            cpu_millicores=requests.millicores + (sidecar.cpu_millicores if sidecar else 0),
            memory_mib=requests.memory_gib * _MIB + (sidecar.memory_mib if sidecar else 0),
            ephemeral_storage_mib=storage + (sidecar.ephemeral_storage_mib if sidecar else 0),
            gpus=gpus,
        )

    @classmethod
    def of_sidecar(cls, sidecar: Sidecar) -> Self:
        return cls(
            cpu_millicores=sidecar.cpu_millicores,
            memory_mib=sidecar.memory_mib,
            ephemeral_storage_mib=sidecar.ephemeral_storage_mib,
            gpus=0,
        )

    def __sub__(self, other: Self) -> Self:
        return type(self)(
            cpu_millicores=self.cpu_millicores - other.cpu_millicores,
            memory_mib=self.memory_mib - other.memory_mib,
            ephemeral_storage_mib=self.ephemeral_storage_mib - other.ephemeral_storage_mib,
            gpus=self.gpus - other.gpus,
        )

    def holds(self, pod: Self) -> int:
        """How many such pods fit at once; none where something is overdrawn."""
        pairs = (
            (self.cpu_millicores, pod.cpu_millicores),
            (self.memory_mib, pod.memory_mib),
            (self.ephemeral_storage_mib, pod.ephemeral_storage_mib),
            (self.gpus, pod.gpus),
        )
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
