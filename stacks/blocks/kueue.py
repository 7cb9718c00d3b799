"""Kueue: flavors of nodes, the queues that share them, and who goes first."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt

from components.kueue_manifest import DEFAULT_FRAMEWORKS
from stacks.blocks.block import Block
from stacks.types import FlavorName, NamespaceName, ObjectName, QueueName

_PRIORITY = Annotated[int, Field(ge=-(2**31), le=10**9)]


class Flavor(Block, frozen=True):
    """Nodes of one kind: those of a pool, by its field, by default the one with the GPUs."""

    pool: str | None = None


class Amounts(Block, frozen=True):
    """Of each resource so much; what is left out is not said."""

    cpu: NonNegativeFloat | None = None
    memory_gib: NonNegativeInt | None = None
    gpus: NonNegativeInt | None = None
    ephemeral_storage_gib: NonNegativeInt | None = None


class FlavorShare(Amounts, frozen=True):
    """What of a flavor is a queue's own. The queues that do not say how much of a resource they
    want share what the others leave evenly.

    `borrowing` is what it may take from its cohort on top, `lending` what the cohort may have of
    its own; each is without a limit where left out.
    """

    borrowing: Amounts = Amounts()
    lending: Amounts = Amounts()


class Preemption(Block, frozen=True):
    """Whom a workload that waits may stop, in Kueue's words."""

    within_queue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] = "LowerPriority"
    reclaim_from_cohort: Literal["Never", "LowerPriority", "Any"] = "LowerPriority"
    borrow_from_cohort: Literal["Never", "LowerPriority"] = "Never"


class ClusterQueue(Block, frozen=True):
    """`flavors` are tried in their order; all there are, by default."""

    cohort: QueueName | None = None
    flavors: dict[FlavorName, FlavorShare] = Field(default_factory=dict)
    preemption: Preemption = Preemption()


class LocalQueue(Block, frozen=True):
    """A namespace's door to a cluster queue; `namespace` defaults to the stack's."""

    name: QueueName
    cluster_queue: QueueName
    namespace: NamespaceName | None = None


class Priority(Block, frozen=True):
    """A priority class of pods. `preempts` has no say in Kueue, which looks at the value."""

    name: ObjectName
    value: _PRIORITY
    preempts: bool = True
    default: bool = False
    description: str = ""


class WorkloadPriority(Block, frozen=True):
    """A priority in queues alone, that a workload has by its label."""

    name: ObjectName
    value: _PRIORITY
    description: str = ""


class Kueue(Block, frozen=True):
    """`version` defaults to the version lock's. `namespaces` are made beside the stack's own, for
    other teams' queues."""

    version: str | None = None
    frameworks: tuple[str, ...] = DEFAULT_FRAMEWORKS
    namespaces: tuple[NamespaceName, ...] = ()
    flavors: dict[FlavorName, Flavor] = Field(
        default_factory=lambda: {"default-flavor": Flavor()}, min_length=1
    )
    cluster_queues: dict[QueueName, ClusterQueue] = Field(
        default_factory=lambda: {"cluster-queue": ClusterQueue()}, min_length=1
    )
    local_queues: tuple[LocalQueue, ...] = Field(
        default=(LocalQueue(name="lq", cluster_queue="cluster-queue"),), min_length=1
    )
    priorities: tuple[Priority, ...] = ()
    workload_priorities: tuple[WorkloadPriority, ...] = ()

    def shares(self, queue: str) -> dict[str, FlavorShare]:
        """What a queue has of each of its flavors, as far as the config says."""
        return self.cluster_queues[queue].flavors or {it: FlavorShare() for it in self.flavors}
