"""How many pods of one kind find room on nodes of one kind."""

from dataclasses import dataclass
from typing import Self

from catalog import Sidecar
from stacks.blocks.ray import Resources
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
