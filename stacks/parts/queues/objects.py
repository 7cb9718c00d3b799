"""Kueue's objects as their components take them, from what the config says of queues."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.kueue import Kueue as KueueComponent
from components.kueue_manifest import (
    ClusterQueueArgs,
    FlavorQuotasArgs,
    PreemptionArgs,
    ResourceGroupArgs,
    ResourceQuotaArgs,
)
from components.kueue_queues import (
    AdmissionCheckArgs,
    CohortArgs,
    KueueQueuesArgs,
    LocalQueueArgs,
    ResourceFlavorArgs,
    TopologyArgs,
    WorkloadPriorityClassArgs,
)
from components.pod_manifest import gpu_tolerations
from components.priority_classes import PriorityClassArgs, PriorityClasses, PriorityClassesArgs
from components.provisioning_manifest import QUEUED_TAINT, QUEUED_TOLERATION
from stacks.parts.pools.capacity import Queued
from stacks.parts.pools.nodes import Nodes
from stacks.parts.queues.config import FlavorShare, StackQueues
from stacks.parts.queues.quotas import GPU, FlavorNodes, Quota, stated


@dataclass(frozen=True, kw_only=True)
class QueueView:
    """Queues with the nodes of their flavors, the config of those, and each queue's quota of each
    flavor."""

    config: StackQueues
    flavor_nodes: Mapping[str, FlavorNodes]
    flavor_pools: Mapping[str, Nodes]
    quotas: Mapping[str, Mapping[str, Quota]]


def queues_args(
    view: QueueView,
    installed: KueueComponent | None,
    selectors: Mapping[str, pulumi.Input[dict[str, str]]],
    namespaces: dict[str, pulumi.Input[str]],
    labels: dict[str, str],
) -> KueueQueuesArgs:
    """`selectors` pick the nodes of a pool, by what flavors call it; the stack's own namespace is
    the first of `namespaces`."""
    kueue, own = view.config, next(iter(namespaces))
    return KueueQueuesArgs(
        kueue=None if installed is None else installed.release,
        ready=None if installed is None else installed.ready,
        flavors=[_flavor(view, it, selectors[at.field]) for it, at in view.flavor_nodes.items()],
        topologies=[
            TopologyArgs(name=name, levels=it.levels) for name, it in kueue.topologies.items()
        ],
        admission_checks=[_admission_check(view, it) for it in kueue.admission_checks],
        cohorts=[CohortArgs(name=it, parent=parent) for it, parent in _cohorts(kueue).items()],
        cluster_queues=[_cluster_queue(view, it) for it in kueue.cluster_queues],
        local_queues=[
            LocalQueueArgs(
                name=it.name, namespace=it.namespace or own, cluster_queue=it.cluster_queue
            )
            for it in kueue.local_queues
        ],
        priority_classes=[
            WorkloadPriorityClassArgs(**it.model_dump()) for it in kueue.workload_priorities
        ],
        namespaces=namespaces,
        labels=labels,
    )


def priorities(
    kueue: StackQueues, labels: dict[str, str], inside: pulumi.ResourceOptions
) -> dict[str, pulumi.Output[str]]:
    """Priority classes of pods, known once they are there."""
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
            labels=labels,
        ),
        opts=inside,
    )
    return {it.name: made.class_names[it.name] for it in kueue.priorities}


def _flavor(view: QueueView, name: str, labels: pulumi.Input[dict[str, str]]) -> ResourceFlavorArgs:
    """Nodes of a queued pool are tainted for what has a request, which Kueue makes. With a topology
    Kueue looks at the taint of GPU nodes, too, and GKE lets only pods past that by itself."""
    queued = isinstance(view.flavor_pools[name].capacity, Queued)
    topology = view.config.flavors[name].topology
    gpus = view.flavor_nodes[name].capacity[GPU]
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


def _admission_check(view: QueueView, name: str) -> AdmissionCheckArgs:
    """A request's machines run as long as the pool that lets them run least."""
    kueue = view.config
    hours = [
        capacity.max_run_hours
        for queue, it in kueue.cluster_queues.items()
        if name in it.admission_checks
        for capacity in (view.flavor_pools[flavor].capacity for flavor in kueue.shares(queue))
        if isinstance(capacity, Queued)
    ]
    retries = kueue.admission_checks[name].retries
    return AdmissionCheckArgs(name=name, max_run_seconds=min(hours) * 3600, retries=retries)


def _cohorts(kueue: StackQueues) -> dict[str, str | None]:
    """Those that queues name and those that the config does, each with its parent."""
    named = [it.cohort for it in kueue.cluster_queues.values() if it.cohort is not None]
    parents = {name: cohort.parent for name, cohort in kueue.cohorts.items()}
    found = dict.fromkeys([*named, *parents, *(it for it in parents.values() if it)])
    return {name: parents.get(name) for name in found}


def _cluster_queue(view: QueueView, name: str) -> ClusterQueueArgs:
    kueue = view.config
    queue, shares, has = kueue.cluster_queues[name], kueue.shares(name), view.quotas[name]
    counted = any(quota[GPU] for quota in has.values())
    return ClusterQueueArgs(
        name=name,
        cohort=queue.cohort,
        namespaces=queue.namespaces,
        admission_checks={
            check: [it for it in shares if isinstance(view.flavor_pools[it].capacity, Queued)]
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
