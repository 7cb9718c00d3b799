"""Kueue, its queues and its priorities."""

from dataclasses import dataclass, field

import pulumi

from components.kueue import Kueue, KueueArgs
from components.kueue_manifest import (
    ClusterQueueArgs,
    FlavorQuotasArgs,
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
from components.pod_manifest import gpu_tolerations
from components.priority_classes import PriorityClassArgs, PriorityClasses, PriorityClassesArgs
from components.provisioning_manifest import QUEUED_TAINT, QUEUED_TOLERATION
from components.webhook_access import WebhookAccess, WebhookAccessArgs
from stacks.blocks.capacity import Queued
from stacks.blocks.kueue import FlavorShare
from stacks.blocks.kueue import Kueue as KueueConfig
from stacks.parts.queues.plan import PlannedQueues
from stacks.queueing import GKE_NAMESPACES
from stacks.quotas import GPU, Quota, stated
from stacks.site import Site, helm_chart

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
        """One that every cluster has is nobody's to make."""
        return None if name is None else self.priorities.get(name, name)

    def workload_priority(self, name: str | None) -> pulumi.Input[str] | None:
        return None if name is None else self.workload_priorities[name]


def build(site: Site) -> Queues:
    """`queues` are those of the stack's namespace."""
    planned = site.plan.queues
    if planned is None:
        return Queues()
    kueue, own = planned.config, site.plan.stack.namespace
    installed = _kueue(site, planned)
    made = KueueQueues(
        "queues",
        KueueQueuesArgs(
            kueue=installed.release,
            ready=installed.ready,
            flavors=[
                _flavor(planned, it, site.nodes.only[nodes.field])
                for it, nodes in planned.flavor_nodes.items()
            ],
            topologies=[
                TopologyArgs(name=name, levels=it.levels) for name, it in kueue.topologies.items()
            ],
            admission_checks=[_admission_check(planned, it) for it in kueue.admission_checks],
            cohorts=[CohortArgs(name=it, parent=parent) for it, parent in _cohorts(kueue).items()],
            cluster_queues=[_cluster_queue(planned, it) for it in kueue.cluster_queues],
            local_queues=[
                LocalQueueArgs(
                    name=it.name, namespace=it.namespace or own, cluster_queue=it.cluster_queue
                )
                for it in kueue.local_queues
            ],
            priority_classes=[
                WorkloadPriorityClassArgs(**it.model_dump()) for it in kueue.workload_priorities
            ],
            namespaces={own: site.namespace, **_namespaces(site, kueue)},
            labels=site.labels,
        ),
        opts=site.inside,
    )
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


def _kueue(site: Site, planned: PlannedQueues) -> Kueue:
    """On the CPU nodes: its webhook must answer before there is any other node. Autopilot's are a
    machine for each pod, which half a CPU is not worth: there it runs anywhere."""
    kueue, stack = planned.config, site.plan.stack
    port = controller_configuration(kueue.frameworks, ())["webhook"]["port"]
    reachable = WebhookAccess(
        "kueue-webhook",
        WebhookAccessArgs(
            project=site.project.apis.project_with("compute"),
            network_id=site.gke.network_id,
            base_name=stack.name,
            key="kueue",
            control_plane_range=stack.network.control_plane,
            ports=[port],
        ),
        opts=site.project.opts,
    )
    return Kueue(
        "kueue",
        KueueArgs(
            chart=helm_chart(site.plan, "kueue", kueue.version),
            frameworks=kueue.frameworks,
            unmanaged_namespaces=GKE_NAMESPACES,
            ready_minutes=planned.ready_minutes,
            node_selector=None if site.plan.autopilot else site.nodes.cpu,
            labels=site.labels,
        ),
        opts=site.after(*site.nodes.needed, reachable),
    )


def _flavor(
    planned: PlannedQueues, name: str, labels: pulumi.Input[dict[str, str]]
) -> ResourceFlavorArgs:
    """Nodes of a queued pool are tainted for what has a request, which Kueue makes. With a topology
    Kueue looks at the taint of GPU nodes, too, and GKE lets only pods past that by itself."""
    queued = planned.pool_of(name).queued
    topology = planned.config.flavors[name].topology
    gpus = planned.flavor_nodes[name].capacity[GPU]
    return ResourceFlavorArgs(
        name=name,
        node_labels=labels,
        taints=[QUEUED_TAINT] if queued else [],
        tolerations=[
            *([QUEUED_TOLERATION] if queued else []),
            *(gpu_tolerations() if topology is not None and gpus else []),
        ],
        topology=topology,
    )


def _admission_check(planned: PlannedQueues, name: str) -> AdmissionCheckArgs:
    """A request's machines run as long as the pool that lets them run least."""
    kueue = planned.config
    hours = [
        capacity.max_run_hours
        for queue, it in kueue.cluster_queues.items()
        if name in it.admission_checks
        for capacity in (planned.pool_of(flavor).config.capacity for flavor in kueue.shares(queue))
        if isinstance(capacity, Queued)
    ]
    retries = kueue.admission_checks[name].retries
    return AdmissionCheckArgs(name=name, max_run_seconds=min(hours) * 3600, retries=retries)


def _cohorts(kueue: KueueConfig) -> dict[str, str | None]:
    """Those that queues name and those that the config does, each with its parent."""
    named = [it.cohort for it in kueue.cluster_queues.values() if it.cohort is not None]
    parents = {name: cohort.parent for name, cohort in kueue.cohorts.items()}
    found = dict.fromkeys([*named, *parents, *(it for it in parents.values() if it)])
    return {name: parents.get(name) for name in found}


def _namespaces(site: Site, kueue: KueueConfig) -> dict[str, pulumi.Input[str]]:
    return {
        name: KubeNamespace(
            f"kube-{name}", KubeNamespaceArgs(namespace=name, labels=site.labels), opts=site.inside
        ).namespace
        for name in kueue.namespaces
        if name not in (site.plan.stack.namespace, "default")
    }


def _cluster_queue(planned: PlannedQueues, name: str) -> ClusterQueueArgs:
    kueue = planned.config
    queue, shares, has = kueue.cluster_queues[name], kueue.shares(name), planned.quotas[name]
    counted = any(quota[GPU] for quota in has.values())
    return ClusterQueueArgs(
        name=name,
        cohort=queue.cohort,
        namespaces=queue.namespaces,
        admission_checks={
            check: [it for it in shares if planned.pool_of(it).queued]
            for check in queue.admission_checks
        },
        preemption=PreemptionArgs(
            within_cluster_queue=queue.preemption.within_queue,
            reclaim_within_cohort=queue.preemption.reclaim_from_cohort,
            borrow_within_cohort=queue.preemption.borrow_from_cohort,
        ),
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


def _priorities(site: Site, kueue: KueueConfig) -> _Names:
    if not kueue.priorities:
        return {}
    made = PriorityClasses(
        "priorities",
        PriorityClassesArgs(
            classes=[
                PriorityClassArgs(
                    name=it.name,
                    value=it.value,
                    preempts=it.preempts,
                    global_default=it.default,
                    description=it.description,
                )
                for it in kueue.priorities
            ],
            labels=site.labels,
        ),
        opts=site.inside,
    )
    return {it.name: made.class_names[it.name] for it in kueue.priorities}
