"""Kueue, its queues and its priorities, as their components take them."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

import pulumi

from catalog.gke_namespaces import GKE_NAMESPACES
from components.base.helm import helm_chart
from components.base.namespace import KubeNamespace, KubeNamespaceArgs
from components.queues.guard import QueueGuard, QueueGuardArgs
from components.queues.kueue import Kueue, KueueArgs
from components.queues.local_queues import LocalQueueArgs, LocalQueues, LocalQueuesArgs
from components.queues.manifest import (
    ClusterQueueArgs,
    FlavorQuotasArgs,
    FungibilityArgs,
    PreemptionArgs,
    ResourceGroupArgs,
    ResourceQuotaArgs,
    controller_configuration,
)
from components.queues.priority_classes import (
    PriorityClassArgs,
    PriorityClasses,
    PriorityClassesArgs,
)
from components.queues.queues import (
    AdmissionCheckArgs,
    CohortArgs,
    KueueQueues,
    KueueQueuesArgs,
    ResourceFlavorArgs,
    TopologyArgs,
    WorkloadPriorityClassArgs,
)
from stacks.parts.cluster.build import webhook_access
from stacks.parts.cluster.config import Operator
from stacks.parts.pools import node_labels
from stacks.parts.pools.config import Queued
from stacks.parts.queues.config import FlavorShare, StackQueues
from stacks.parts.queues.plan import ACCELERATORS, PlannedQueues, Quota, guard_name, stated
from stacks.site import Site, Teams

_QUEUES = "queues"
_Names = dict[str, pulumi.Output[str]]


@dataclass(frozen=True, kw_only=True)
class Queues:
    """Names by what the config calls them, but for `priorities` known once workloads can use them;
    `made` is what they wait for."""

    queues: _Names = field(default_factory=dict[str, pulumi.Output[str]])
    priorities: Mapping[str, str] = field(default_factory=dict[str, str])
    workload_priorities: _Names = field(default_factory=dict[str, pulumi.Output[str]])
    made: tuple[pulumi.Resource, ...] = ()
    classes: tuple[pulumi.Resource, ...] = ()

    @property
    def needed(self) -> tuple[pulumi.Resource, ...]:
        """What a workload waits for which may have a priority class."""
        return (*self.made, *self.classes)

    def queue(self, name: str | None) -> pulumi.Input[str] | None:
        return None if name is None else self.queues[name]

    def priority(self, name: str | None) -> pulumi.Input[str] | None:
        return None if name is None else self.priorities[name]

    def workload_priority(self, name: str | None) -> pulumi.Input[str] | None:
        return None if name is None else self.workload_priorities[name]


@dataclass(frozen=True, kw_only=True)
class Shared:
    """What namespaces share: Kueue and its cluster-wide queues, None and empty in a stack without
    queues. `made` serves the finalizers of queued work, so that namespaces go before it."""

    kueue: Kueue | None = None
    queues: KueueQueues | None = None

    @property
    def made(self) -> list[pulumi.Resource]:
        return [it for it in (self.kueue, self.queues) if it is not None]


def shared(site: Site, kinds: Sequence[pulumi.Resource] = ()) -> Shared:
    """`kinds` bring what Kueue is told to look for."""
    planned = site.plan.queues
    if planned is None:
        return Shared()
    installed = _kueue(site, planned, kinds)
    return Shared(
        kueue=installed,
        queues=KueueQueues(
            _QUEUES,
            _queues(site, planned, installed),
            opts=site.going_with_cluster(site.inside),
        ),
    )


def build(site: Site, teams: Teams, shared: Shared, served: Sequence[pulumi.Resource]) -> Queues:
    """`queues` are those of the stack's namespace; further namespaces go before what is
    `served`."""
    planned = site.plan.queues
    if planned is None or shared.queues is None:
        return Queues()
    kueue, own = planned.config, planned.namespace
    namespaces = {own: site.namespace, **_namespaces(site, kueue, served), **teams.namespaces}
    doors = LocalQueues(
        f"{_QUEUES}-local-queue",
        _local_queues(site, planned, shared, namespaces),
        opts=site.inside,
    )
    teams_in_queues = [it.name for it in site.plan.teams.values() if it.local_queues]
    if teams_in_queues:
        QueueGuard(
            f"{_QUEUES}-guard",
            QueueGuardArgs(
                policy_name=guard_name(site.plan.stack.name),
                namespaces=teams_in_queues,
                labels=site.labels,
            ),
            opts=site.inside,
        )
    priorities = _priorities(site, kueue)
    return Queues(
        queues={
            it.name: doors.local_queues[f"{own}/{it.name}"]
            for it in kueue.local_queues
            if it.namespace in (None, own)
        },
        # By name alone: Kubernetes lets no class change, and what has a name of one that is made
        # anew would be made anew, too, and run from its beginning. Pods keep the value that they
        # began with (kubernetes/kubernetes v1.35.4 plugin/pkg/admission/priority/admission.go).
        priorities={it.name: it.name for it in kueue.priorities},
        workload_priorities={
            it.name: shared.queues.class_names[it.name] for it in kueue.workload_priorities
        },
        made=(shared.queues, doors),
        classes=tuple(priorities),
    )


def _kueue(site: Site, planned: PlannedQueues, kinds: Sequence[pulumi.Resource]) -> Kueue | None:
    """On the CPU nodes: its webhook must answer before there is any other node. Autopilot's are a
    machine for each pod, which half a CPU is not worth: there it runs anywhere."""
    if Operator.KUEUE in site.project.adopted.operators:
        return None
    kueue = planned.config
    port = controller_configuration(kueue.frameworks, ())["webhook"]["port"]
    reachable = webhook_access(site, "kueue", port)
    return Kueue(
        "kueue",
        KueueArgs(
            chart=helm_chart(site.plan.facts, "kueue", kueue.version),
            frameworks=kueue.frameworks,
            unmanaged_namespaces=GKE_NAMESPACES,
            ready_minutes=planned.ready_minutes,
            node_selector=None if site.plan.autopilot else site.nodes.cpu,
            labels=site.labels,
        ),
        # Without Kueue nobody takes the finalizers of its objects off, so it goes with them.
        opts=site.going_with_cluster(site.after(*site.nodes.needed, *reachable, *kinds)),
    )


def _namespaces(
    site: Site, kueue: StackQueues, served: Sequence[pulumi.Resource]
) -> dict[str, pulumi.Input[str]]:
    return {
        name: KubeNamespace(
            f"kube-{name}",
            KubeNamespaceArgs(
                namespace=name,
                pod_security=site.plan.pod_security,
                # For others' work: it reaches what work of the config's teams reaches.
                team=name,
                labels=site.labels,
            ),
            opts=site.after(*served),
        ).namespace
        for name in kueue.namespaces
        if name not in (site.plan.stack.namespace, "default")
    }


def _queues(site: Site, planned: PlannedQueues, installed: Kueue | None) -> KueueQueuesArgs:
    kueue = planned.config
    return KueueQueuesArgs(
        kueue=installed,
        flavors=[_flavor(site, planned, it) for it in planned.flavors],
        topologies=[
            TopologyArgs(name=name, levels=it.levels) for name, it in kueue.topologies.items()
        ],
        admission_checks=[_admission_check(planned, it) for it in kueue.admission_checks],
        cohorts=_cohorts(kueue),
        cluster_queues=[_cluster_queue(planned, it) for it in kueue.cluster_queues],
        priority_classes=[
            WorkloadPriorityClassArgs(**it.model_dump()) for it in kueue.workload_priorities
        ],
        labels=site.labels,
    )


def _local_queues(
    site: Site,
    planned: PlannedQueues,
    shared: Shared,
    namespaces: dict[str, pulumi.Input[str]],
) -> LocalQueuesArgs:
    """A team that names a cluster queue has two local queues in its namespace: one of its name, and
    one for work that names none."""
    doors = [
        (it.name, it.namespace or planned.namespace, it.cluster_queue)
        for it in planned.config.local_queues
    ]
    doors += [
        (name, team.name, team.config.queue)
        for team in site.plan.teams.values()
        if team.config.queue is not None
        for name in team.local_queues
    ]
    return LocalQueuesArgs(
        kueue=shared.kueue,
        queues=_QUEUES,
        local_queues=[
            LocalQueueArgs(name=name, namespace=namespace, cluster_queue=behind)
            for name, namespace, behind in doors
        ],
        cluster_queues={} if shared.queues is None else dict(shared.queues.names),
        namespaces=namespaces,
        labels=site.labels,
    )


def _priorities(site: Site, kueue: StackQueues) -> list[pulumi.Resource]:
    """Priority classes of pods, without which no pod that names one is made."""
    if not kueue.priorities:
        return []
    classes = [
        PriorityClassArgs(
            name=it.name,
            value=it.value,
            preempts=it.preempts,
            global_default=it.default,
            description=it.description,
        )
        for it in kueue.priorities
    ]
    args = PriorityClassesArgs(classes=classes, labels=site.labels)
    return [PriorityClasses("priorities", args, opts=site.inside)]


def _flavor(site: Site, planned: PlannedQueues, name: str) -> ResourceFlavorArgs:
    return ResourceFlavorArgs(
        name=name,
        # No need to wait for the pool, which may wait for the queues.
        node_labels=node_labels.only(site.plan, planned.flavors[name]),
        taints=planned.taints(name),
        tolerations=planned.tolerations(name),
        topology=planned.config.flavors[name].topology,
    )


def _admission_check(planned: PlannedQueues, name: str) -> AdmissionCheckArgs:
    """A request's machines run as long as the pool that lets them run least."""
    kueue = planned.config
    flavors = {
        flavor
        for queue, it in kueue.cluster_queues.items()
        if name in it.admission_checks
        for flavor in kueue.shares(queue)
    }
    capacities = [planned.flavors[it].config.capacity for it in flavors]
    hours = min(it.max_run_hours for it in capacities if isinstance(it, Queued))
    retries = kueue.admission_checks[name].retries
    return AdmissionCheckArgs(name=name, max_run_seconds=hours * 3600, retries=retries)


def _cohorts(kueue: StackQueues) -> list[CohortArgs]:
    """Those that queues name and those that the config does, each with its parent."""
    named = [it.cohort for it in kueue.cluster_queues.values()]
    parents = {name: cohort.parent for name, cohort in kueue.cohorts.items()}
    found = dict.fromkeys([*named, *parents, *parents.values()])
    return [CohortArgs(name=it, parent=parents.get(it)) for it in found if it is not None]


def _cluster_queue(planned: PlannedQueues, name: str) -> ClusterQueueArgs:
    queue, shares = planned.config.cluster_queues[name], planned.config.shares(name)
    has = planned.quotas[name]
    absent = {it for it in ACCELERATORS if not any(quota[it] for quota in has.values())}
    return ClusterQueueArgs(
        name=name,
        cohort=queue.cohort,
        namespaces=queue.namespaces,
        admission_checks={
            check: [it for it in shares if planned.flavors[it].queued]
            for check in queue.admission_checks
        },
        preemption=PreemptionArgs(
            within_cluster_queue=queue.preemption.within_queue,
            reclaim_within_cohort=queue.reclaim_from_cohort,
            borrow_within_cohort=queue.preemption.borrow_from_cohort,
        ),
        fungibility=FungibilityArgs(**queue.fungibility.model_dump()),
        groups=[
            ResourceGroupArgs(
                flavors=[
                    FlavorQuotasArgs(
                        flavor=flavor, resources=_resources(quota, shares[flavor], absent)
                    )
                    for flavor, quota in has.items()
                ]
            )
        ],
    )


def _resources(quota: Quota, share: FlavorShare, absent: Set[str]) -> list[ResourceQuotaArgs]:
    """Quota of each resource but the `absent` accelerators, of which no flavor of the queue has
    any."""
    borrowing, lending = stated(share.borrowing), stated(share.lending)
    return [
        ResourceQuotaArgs(
            resource=resource,
            nominal=amount,
            borrowing_limit=borrowing.get(resource),
            lending_limit=lending.get(resource),
        )
        for resource, amount in quota.items()
        if resource not in absent
    ]
