"""Kueue, its queues and its priorities, as their components take them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi

from components.kueue import Kueue, KueueArgs
from components.kueue_manifest import (
    ClusterQueueArgs,
    FlavorQuotasArgs,
    FungibilityArgs,
    PreemptionArgs,
    ResourceGroupArgs,
    ResourceQuotaArgs,
    controller_configuration,
)
from components.kueue_queues import (
    AdmissionCheckArgs,
    CohortArgs,
    KueueQueues,
    KueueQueuesArgs,
    LocalQueueArgs,
    ResourceFlavorArgs,
    TopologyArgs,
    WorkloadPriorityClassArgs,
)
from components.namespace import KubeNamespace, KubeNamespaceArgs
from components.priority_classes import PriorityClassArgs, PriorityClasses, PriorityClassesArgs
from components.provisioning_manifest import QUEUED_TAINT
from stacks.helm_charts import helm_chart
from stacks.parts.cluster.build import webhook_access
from stacks.parts.cluster.config import Operator
from stacks.parts.pools import node_labels
from stacks.parts.pools.config import Queued
from stacks.parts.queues.config import FlavorShare, StackQueues
from stacks.parts.queues.plan import GPU, PlannedQueues, Quota, stated
from stacks.site import Site, Teams

# Where GKE's own pods are, which Kueue's webhook would refuse while Kueue is away. Sources, read
# 2026-11-21: the Google Cloud CLI's list for Developer Connect (2025), OpenTelemetry's for GKE, and
# for gmp-public the documentation of Managed Service for Prometheus.
_GKE_NAMESPACES = (
    "kube-system",
    "kube-node-lease",
    "gke-gmp-system",
    "gke-managed-checkpointing",
    "gke-managed-cim",
    "gke-managed-filestorecsi",
    "gke-managed-lustrecsi",
    "gke-managed-metrics-server",
    "gke-managed-networking-dra-driver",
    "gke-managed-parallelstorecsi",
    "gke-managed-system",
    "gke-managed-volumepopulator",
    "gke-system",
    "gmp-public",
    "gmp-system",
)
_Names = dict[str, pulumi.Output[str]]


@dataclass(frozen=True, kw_only=True)
class Queues:
    """Names by what the config calls them, known once workloads can use them; `made` is what they
    wait for."""

    queues: _Names = field(default_factory=dict[str, pulumi.Output[str]])
    priorities: _Names = field(default_factory=dict[str, pulumi.Output[str]])
    workload_priorities: _Names = field(default_factory=dict[str, pulumi.Output[str]])
    made: tuple[pulumi.Resource, ...] = ()

    def queue(self, name: str | None) -> pulumi.Input[str] | None:
        return None if name is None else self.queues[name]

    def priority(self, name: str | None) -> pulumi.Input[str] | None:
        return None if name is None else self.priorities[name]

    def workload_priority(self, name: str | None) -> pulumi.Input[str] | None:
        return None if name is None else self.workload_priorities[name]


def build(site: Site, teams: Teams, kinds: Sequence[pulumi.Resource] = ()) -> Queues:
    """`queues` are those of the stack's namespace; `kinds` bring what Kueue is told to look for."""
    planned = site.plan.queues
    if planned is None:
        return Queues()
    kueue, own = planned.config, planned.namespace
    installed = _kueue(site, planned, kinds)
    namespaces = {own: site.namespace, **_namespaces(site, kueue), **teams.namespaces}
    made = KueueQueues("queues", _queues(site, planned, installed, namespaces), opts=site.inside)
    return Queues(
        queues={
            it.name: made.local_queues[f"{own}/{it.name}"]
            for it in kueue.local_queues
            if it.namespace in (None, own)
        },
        priorities=_priorities(site, kueue),
        workload_priorities={
            it.name: made.class_names[it.name] for it in kueue.workload_priorities
        },
        made=(made,),
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
            chart=helm_chart(site.plan, "kueue", kueue.version),
            frameworks=kueue.frameworks,
            unmanaged_namespaces=_GKE_NAMESPACES,
            ready_minutes=planned.ready_minutes,
            node_selector=None if site.plan.autopilot else site.nodes.cpu,
            dashboard=kueue.dashboard,
            labels=site.labels,
        ),
        opts=site.after(*site.nodes.needed, *reachable, *kinds),
    )


def _namespaces(site: Site, kueue: StackQueues) -> dict[str, pulumi.Input[str]]:
    return {
        name: KubeNamespace(
            f"kube-{name}", KubeNamespaceArgs(namespace=name, labels=site.labels), opts=site.inside
        ).namespace
        for name in kueue.namespaces
        if name not in (site.plan.stack.namespace, "default")
    }


def _queues(
    site: Site,
    planned: PlannedQueues,
    installed: Kueue | None,
    namespaces: dict[str, pulumi.Input[str]],
) -> KueueQueuesArgs:
    """A team that names a cluster queue has a local queue of its name in its namespace."""
    kueue = planned.config
    doors = [
        (it.name, it.namespace or planned.namespace, it.cluster_queue) for it in kueue.local_queues
    ]
    teams = site.plan.teams.values()
    doors += [(it.name, it.name, it.config.queue) for it in teams if it.config.queue is not None]
    return KueueQueuesArgs(
        kueue=None if installed is None else installed.release,
        ready=None if installed is None else installed.ready,
        flavors=[_flavor(site, planned, it) for it in planned.flavors],
        topologies=[
            TopologyArgs(name=name, levels=it.levels) for name, it in kueue.topologies.items()
        ],
        admission_checks=[_admission_check(planned, it) for it in kueue.admission_checks],
        cohorts=_cohorts(kueue),
        cluster_queues=[_cluster_queue(planned, it) for it in kueue.cluster_queues],
        local_queues=[
            LocalQueueArgs(name=name, namespace=namespace, cluster_queue=behind)
            for name, namespace, behind in doors
        ],
        priority_classes=[
            WorkloadPriorityClassArgs(**it.model_dump()) for it in kueue.workload_priorities
        ],
        namespaces=namespaces,
        labels=site.labels,
    )


def _priorities(site: Site, kueue: StackQueues) -> _Names:
    """Priority classes of pods, known once they are there."""
    if not kueue.priorities:
        return {}
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
    made = PriorityClasses("priorities", args, opts=site.inside)
    return {it.name: made.class_names[it.name] for it in kueue.priorities}


def _flavor(site: Site, planned: PlannedQueues, name: str) -> ResourceFlavorArgs:
    pool = planned.flavors[name]
    own = [{"key": it.key, "value": it.value, "effect": it.effect} for it in pool.taints]
    return ResourceFlavorArgs(
        name=name,
        # No need to wait for the pool, which may wait for the queues.
        node_labels=node_labels.only(site.plan, pool),
        taints=[*([QUEUED_TAINT] if pool.queued else []), *own],
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
    counted = any(quota[GPU] for quota in has.values())
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
            reclaim_within_cohort=queue.preemption.reclaim_from_cohort,
            borrow_within_cohort=queue.preemption.borrow_from_cohort,
        ),
        fungibility=FungibilityArgs(**queue.fungibility.model_dump()),
        groups=[
            ResourceGroupArgs(
                flavors=[
                    FlavorQuotasArgs(
                        flavor=flavor, resources=_resources(quota, shares[flavor], counted)
                    )
                    for flavor, quota in has.items()
                ]
            )
        ],
    )


def _resources(quota: Quota, share: FlavorShare, counted: bool) -> list[ResourceQuotaArgs]:
    """GPUs only where one of the queue's flavors has any."""
    borrowing, lending = stated(share.borrowing), stated(share.lending)
    return [
        ResourceQuotaArgs(
            resource=resource,
            nominal=amount,
            borrowing_limit=borrowing.get(resource),
            lending_limit=lending.get(resource),
        )
        for resource, amount in quota.items()
        if counted or resource != GPU
    ]
