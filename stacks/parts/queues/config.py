"""Kueue: flavors of nodes, the queues that share them, and who goes first. No Pulumi import."""

from typing import Any, Literal

from pydantic import Field

from components.queues.frameworks import DEFAULT_FRAMEWORKS
from components.queues.topology import TOPOLOGY_LEVELS, TopologyLevel
from stacks.types import (
    Block,
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

# kubernetes-sigs/kueue v0.19.2 apis/kueue/v1beta2/clusterqueue_types.go, ClusterQueuePreemption:
# LowerPriority reclaims quota only from workloads of lower priority, Any from all that borrow it.
Reclaim = Literal["Never", "LowerPriority", "Any"]


class Topology(Block, frozen=True):
    """Where nodes stand."""

    levels: tuple[TopologyLevel, ...] = Field(default=TOPOLOGY_LEVELS[-1:], min_length=1)
    """Labels of nodes from the widest to the narrowest."""


class AdmissionCheck(Block, frozen=True):
    """Machines of a queued pool, asked of GKE for all pods of a workload at once before it
    starts."""

    retries: CheckRetries = 3
    """How often a request that failed is made again."""


class Flavor(Block, frozen=True):
    """Nodes of one kind."""

    pool: str | None = None
    """The pool whose nodes they are; by default the first with accelerators."""
    topology: QueueName | None = None
    """One of `topologies`, by which Kueue gives pods their nodes."""


class Amounts(Block, frozen=True):
    """Of each resource so much; what is left out is not said."""

    cpu: QueueCpus | None = None
    """CPUs."""
    memory_gib: QueueGiB | None = None
    """GiB of memory."""
    gpus: QueueGpus | None = None
    """GPUs."""
    chips: QueueGpus | None = None
    """TPU chips."""
    ephemeral_storage_gib: QueueGiB | None = None
    """GiB on the nodes' disks."""


class FlavorShare(Amounts, frozen=True):
    """What of a flavor is a queue's own.

    The queues that do not say how much of a resource they want share what the others leave evenly.
    """

    borrowing: Amounts = Amounts()
    """What the queue may take from its cohort on top; no limit where left out."""
    lending: Amounts = Amounts()
    """What the cohort may have of the queue's own."""


class Preemption(Block, frozen=True):
    """Whom a workload that waits may stop, in Kueue's words."""

    within_queue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] = "LowerPriority"
    """Whom it may stop in its own queue."""
    reclaim_from_cohort: Reclaim | None = None
    """Whom it may stop of those that borrowed from its queue; by default `Any` in a cohort."""
    borrow_from_cohort: Literal["Never", "LowerPriority"] = "Never"
    """Whom it may stop in order to borrow."""


class Fungibility(Block, frozen=True):
    """Where a workload goes on to its queue's next flavor, in Kueue's words. From one that it does
    not fit it always does."""

    when_can_borrow: Literal["MayStopSearch", "TryNextFlavor"] = "MayStopSearch"
    """Whether it borrows in one flavor before it tries the next."""
    when_can_preempt: Literal["MayStopSearch", "TryNextFlavor"] = "TryNextFlavor"
    """Whether it stops others in one flavor before it tries the next."""


class Cohort(Block, frozen=True):
    """A cohort with more to say than its name."""

    parent: QueueName | None = None
    """The cohort of which its queues borrow what their own has not."""


class ClusterQueue(Block, frozen=True):
    """What is shared, and by whom."""

    cohort: QueueName | None = None
    """Queues of one cohort lend each other what they do not use."""
    admission_checks: tuple[QueueName, ...] = ()
    """Of `admission_checks`, for its flavors of queued pools."""
    namespaces: tuple[NamespaceName, ...] = ()
    """Whose workloads it takes; by default everybody's."""
    flavors: dict[FlavorName, FlavorShare] = Field(default_factory=dict)
    """Flavors that it gives out; by default all."""
    order: tuple[FlavorName, ...] = ()
    """Flavors in the order in which Kueue tries them."""
    fungibility: Fungibility = Fungibility()
    """Where a workload goes on to the next flavor."""
    preemption: Preemption = Preemption()
    """Whom a workload that waits may stop."""

    @property
    def reclaim_from_cohort(self) -> Reclaim:
        """Without a cohort nobody borrows, and the value says nothing."""
        return self.preemption.reclaim_from_cohort or ("Any" if self.cohort else "LowerPriority")


class LocalQueue(Block, frozen=True):
    """A namespace's door to a cluster queue."""

    name: QueueName
    """What a workload names."""
    cluster_queue: QueueName
    """One of `cluster_queues`."""
    namespace: NamespaceName | None = None
    """Where the door is; by default in the stack's namespace."""


class Priority(Block, frozen=True):
    """A priority class of pods."""

    name: ObjectName
    """Name of the class."""
    value: PriorityValue
    """The higher goes first; another value holds for later pods."""
    preempts: bool = True
    """Whether its pods may put others off a node; Kueue looks at the value alone."""
    default: bool = False
    """The class of pods that name none; one at most."""
    description: str = ""
    """What it is for."""


class WorkloadPriority(Block, frozen=True):
    """A priority in queues alone, that a workload has by its label."""

    name: ObjectName
    """Name of the priority."""
    value: PriorityValue
    """The higher goes first; another value holds for later workloads."""
    description: str = ""
    """What it is for."""


_DEFAULT = LocalQueue(name="lq", cluster_queue="cluster-queue")


def _default_local_queues(given: dict[str, Any]) -> tuple[LocalQueue, ...]:
    return (_DEFAULT,) if _DEFAULT.cluster_queue in given.get("cluster_queues", {}) else ()


class StackQueues(Block, frozen=True):
    """Kueue, and the queues that share the nodes."""

    version: str | None = None
    """Kueue release that the version lock knows; by default its own."""
    frameworks: tuple[str, ...] = DEFAULT_FRAMEWORKS
    """Kinds of workloads that may queue."""
    namespaces: tuple[NamespaceName, ...] = ()
    """Further namespaces with queues; roles and quotas are `teams`' alone."""
    ready_minutes: Minutes | None = None
    """Minutes until admitted pods are ready, or Kueue stops them."""
    flavors: dict[FlavorName, Flavor] = Field(
        default_factory=lambda: {"default-flavor": Flavor()}, min_length=1
    )
    """Kinds of nodes, by a name of yours."""
    topologies: dict[QueueName, Topology] = Field(default_factory=dict)
    """Where nodes stand, by a name of yours."""
    admission_checks: dict[QueueName, AdmissionCheck] = Field(default_factory=dict)
    """Requests for queued machines, by a name of yours."""
    cluster_queues: dict[QueueName, ClusterQueue] = Field(
        default_factory=lambda: {"cluster-queue": ClusterQueue()}, min_length=1
    )
    """What is shared, by a name of yours."""
    cohorts: dict[QueueName, Cohort] = Field(default_factory=dict)
    """Cohorts with more to say than their name."""
    local_queues: tuple[LocalQueue, ...] = Field(default_factory=_default_local_queues)
    """Queues of namespaces; by default `lq`, and those of teams."""
    priorities: tuple[Priority, ...] = ()
    """Priority classes of pods."""
    workload_priorities: tuple[WorkloadPriority, ...] = ()
    """Kueue's own priorities, which pods do not have."""

    @property
    def usual_priority(self) -> int:
        """Of work that names no class."""
        return next((it.value for it in self.priorities if it.default), 0)

    @property
    def ordinary(self) -> list[str]:
        """Names by which work takes the place of nobody who would keep it from work without a
        class."""
        usual = self.usual_priority
        above = {it.name for it in self.priorities if not it.default and it.preempts}
        named = [*self.priorities, *self.workload_priorities]
        above |= {it.name for it in named if it.value > usual}
        return [it for it in dict.fromkeys(one.name for one in named) if it not in above]

    def shares(self, queue: str) -> dict[str, FlavorShare]:
        """Share of each flavor in a queue, as far as the config says; the order in which Kueue
        tries them depends on the pools, too."""
        has = self.cluster_queues[queue]
        return dict(has.flavors) or {it: FlavorShare() for it in self.flavors}
