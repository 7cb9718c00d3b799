"""Kueue: flavors of nodes, the queues that share them, and who goes first."""

from typing import Literal

from pydantic import Field

from components.kueue_frameworks import DEFAULT_FRAMEWORKS
from components.kueue_topology import TOPOLOGY_LEVELS, TopologyLevel
from stacks.blocks.block import Block
from stacks.types import (
    CheckRetries,
    FlavorName,
    Minutes,
    NamespaceName,
    ObjectName,
    PriorityValue,
    QueueCpus,
    QueueGiB,
    QueueGpus,
    QueueName,
)


class Topology(Block, frozen=True):
    """What stands in what, as labels of nodes from the widest to the narrowest; by default each
    node stands by itself."""

    levels: tuple[TopologyLevel, ...] = Field(default=TOPOLOGY_LEVELS[-1:], min_length=1)


class AdmissionCheck(Block, frozen=True):
    """Machines of a queued pool, asked of GKE for all pods of a workload at once before it starts.
    A request that fails is made again so many times."""

    retries: CheckRetries = 3


class Flavor(Block, frozen=True):
    """Nodes of one kind: those of a pool, by its field, by default the one with the GPUs. With a
    `topology` Kueue gives pods their nodes, and admits what has room there."""

    pool: str | None = None
    topology: QueueName | None = None


class Amounts(Block, frozen=True):
    """Of each resource so much; what is left out is not said."""

    cpu: QueueCpus | None = None
    memory_gib: QueueGiB | None = None
    gpus: QueueGpus | None = None
    ephemeral_storage_gib: QueueGiB | None = None


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


class Cohort(Block, frozen=True):
    """Of a `parent` its queues borrow what their own cohort has not."""

    parent: QueueName | None = None


class ClusterQueue(Block, frozen=True):
    """`flavors` are tried in their order; all there are, by default. `namespaces` are those whose
    workloads it takes; all, by default. `admission_checks` are for its flavors of queued pools."""

    cohort: QueueName | None = None
    admission_checks: tuple[QueueName, ...] = ()
    namespaces: tuple[NamespaceName, ...] = ()
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
    value: PriorityValue
    preempts: bool = True
    default: bool = False
    description: str = ""


class WorkloadPriority(Block, frozen=True):
    """A priority in queues alone, that a workload has by its label."""

    name: ObjectName
    value: PriorityValue
    description: str = ""


class Kueue(Block, frozen=True):
    """`version` defaults to the version lock's. `namespaces` are made beside the stack's own, for
    other teams' queues. What is admitted has `ready_minutes` until its pods are ready, or Kueue
    stops it; by default what the stack's own workloads and machines may take."""

    version: str | None = None
    frameworks: tuple[str, ...] = DEFAULT_FRAMEWORKS
    namespaces: tuple[NamespaceName, ...] = ()
    ready_minutes: Minutes | None = None
    flavors: dict[FlavorName, Flavor] = Field(
        default_factory=lambda: {"default-flavor": Flavor()}, min_length=1
    )
    topologies: dict[QueueName, Topology] = Field(default_factory=dict)
    admission_checks: dict[QueueName, AdmissionCheck] = Field(default_factory=dict)
    cluster_queues: dict[QueueName, ClusterQueue] = Field(
        default_factory=lambda: {"cluster-queue": ClusterQueue()}, min_length=1
    )
    cohorts: dict[QueueName, Cohort] = Field(default_factory=dict)
    local_queues: tuple[LocalQueue, ...] = Field(
        default=(LocalQueue(name="lq", cluster_queue="cluster-queue"),), min_length=1
    )
    priorities: tuple[Priority, ...] = ()
    workload_priorities: tuple[WorkloadPriority, ...] = ()

    def shares(self, queue: str) -> dict[str, FlavorShare]:
        """What a queue has of each of its flavors, as far as the config says."""
        return self.cluster_queues[queue].flavors or {it: FlavorShare() for it in self.flavors}
