"""GKE nodes as other people published them, which what is counted has to give again."""

from __future__ import annotations

from pydantic import Field, PositiveFloat, PositiveInt

from .node_room import DEFAULT_DISK_GB, DEFAULT_PODS, NodeShape
from .table import Fact, Table


class PublicShape(Fact):
    vcpus: PositiveInt
    memory_gib: PositiveFloat
    disk_gb: PositiveInt = DEFAULT_DISK_GB
    threads_per_core: PositiveInt = 2
    max_pods: PositiveInt = DEFAULT_PODS


class PublicAmounts(Fact):
    """What a node's status says; None where the source is silent."""

    cpu_millicores: PositiveInt | None = None
    memory_kib: PositiveInt | None = None
    disk_bytes: PositiveInt | None = None


class PublicNode(Fact):
    name: str
    gke: str
    shape: PublicShape
    capacity: PublicAmounts
    allocatable: PublicAmounts = PublicAmounts()
    source: str = Field(min_length=1)

    def as_shape(self) -> NodeShape:
        return NodeShape(machine_type=self.name, **dict(self.shape))


class PublicNodes(Table):
    nodes: tuple[PublicNode, ...]
