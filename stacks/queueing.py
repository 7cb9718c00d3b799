"""Kueue and its queues, from a stack's config."""

from dataclasses import dataclass

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
from stacks import platform
from stacks.blocks.capacity import Queued
from stacks.blocks.kueue import FlavorShare
from stacks.blocks.kueue import Kueue as KueueConfig
from stacks.blocks.queue_stack import QueueStack
from stacks.nodes import ClusterNodes
from stacks.platform import Cloud
from stacks.quotas import GPU, Quota, stated

# Where GKE's own pods are, which Kueue's webhook would refuse while Kueue is away. Sources, read
# 2026-11-21: the Google Cloud CLI's list for Developer Connect (2025), OpenTelemetry's for GKE, and
# for gmp-public the documentation of Managed Service for Prometheus.
GKE_NAMESPACES = (
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


@dataclass(frozen=True, kw_only=True)
class Queues:
    """Names by what the config calls them, known once workloads can use them; `made` is what they
    wait for."""

    queues: dict[str, pulumi.Output[str]]
    priorities: dict[str, pulumi.Output[str]]
    workload_priorities: dict[str, pulumi.Output[str]]
    made: tuple[pulumi.Resource, ...] = ()

    def queue(self, name: str | None) -> pulumi.Input[str] | None:
        return None if name is None else self.queues[name]

    def command(self, namespace: str) -> str | None:
        """Shows what waits and what runs."""
        return f"kubectl --namespace={namespace} get workloads" if self.made else None

    def priority(self, name: str | None) -> pulumi.Input[str] | None:
        """One that every cluster has is nobody's to make."""
        return None if name is None else self.priorities.get(name, name)

    def workload_priority(self, name: str | None) -> pulumi.Input[str] | None:
        return None if name is None else self.workload_priorities[name]


def queues(config: QueueStack, on: Cloud, nodes: ClusterNodes, where: pulumi.Input[str]) -> Queues:
    """`queues` are those of the stack's namespace."""
    kueue = config.kueue
    if kueue is None:
        return Queues(queues={}, priorities={}, workload_priorities={})
    inside = pulumi.ResourceOptions(providers=[nodes.gke.kubernetes])
    installed = _kueue(config, kueue, on, nodes)
    made = KueueQueues(
        "queues",
        KueueQueuesArgs(
            kueue=installed.release,
            ready=installed.ready,
            flavors=[
                _flavor(config, kueue, it, nodes.selectors[found.field])
                for it, found in config.flavor_nodes.items()
            ],
            topologies=[
                TopologyArgs(name=name, levels=it.levels) for name, it in kueue.topologies.items()
            ],
            admission_checks=[_admission_check(config, kueue, it) for it in kueue.admission_checks],
            cohorts=[CohortArgs(name=it, parent=parent) for it, parent in _cohorts(kueue).items()],
            cluster_queues=[_cluster_queue(config, kueue, it) for it in kueue.cluster_queues],
            local_queues=[
                LocalQueueArgs(
                    name=it.name,
                    namespace=it.namespace or config.namespace,
                    cluster_queue=it.cluster_queue,
                )
                for it in kueue.local_queues
            ],
            priority_classes=[
                WorkloadPriorityClassArgs(**it.model_dump()) for it in kueue.workload_priorities
            ],
            namespaces={config.namespace: where, **_namespaces(config, kueue, on, inside)},
            labels=on.labels,
        ),
        opts=inside,
    )
    return Queues(
        queues={
            it.name: made.local_queues[f"{config.namespace}/{it.name}"]
            for it in kueue.local_queues
            if it.namespace in (None, config.namespace)
        },
        priorities=_priorities(kueue, on, inside),
        workload_priorities={
            it.name: made.class_names[it.name] for it in kueue.workload_priorities
        },
        made=(made,),
    )


def _kueue(config: QueueStack, kueue: KueueConfig, on: Cloud, nodes: ClusterNodes) -> Kueue:
    """On the CPU nodes: its webhook must answer before there is any other node. Autopilot's are a
    machine for each pod, which half a CPU is not worth: there it runs anywhere."""
    port = controller_configuration(kueue.frameworks, ())["webhook"]["port"]
    reachable = WebhookAccess(
        "kueue-webhook",
        WebhookAccessArgs(
            project=on.apis.project_with("compute"),
            network_id=nodes.gke.network_id,
            base_name=config.name,
            key="kueue",
            control_plane_range=config.network.control_plane,
            ports=[port],
        ),
        opts=on.opts,
    )
    return Kueue(
        "kueue",
        KueueArgs(
            chart=platform.helm_chart(config, "kueue", kueue.version),
            frameworks=kueue.frameworks,
            unmanaged_namespaces=GKE_NAMESPACES,
            ready_minutes=config.ready_minutes,
            node_selector=None if config.autopilot else nodes.cpu,
            labels=on.labels,
        ),
        opts=pulumi.ResourceOptions(
            providers=[nodes.gke.kubernetes], depends_on=[*nodes.needed, reachable]
        ),
    )


def _flavor(
    config: QueueStack, kueue: KueueConfig, name: str, labels: pulumi.Input[dict[str, str]]
) -> ResourceFlavorArgs:
    """Nodes of a queued pool are tainted for what has a request, which Kueue makes. With a topology
    Kueue looks at the taint of GPU nodes, too, and GKE lets only pods past that by itself."""
    queued = isinstance(config.flavor_pools[name].capacity, Queued)
    topology, gpus = kueue.flavors[name].topology, config.flavor_nodes[name].capacity[GPU]
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


def _admission_check(config: QueueStack, kueue: KueueConfig, name: str) -> AdmissionCheckArgs:
    """A request's machines run as long as the pool that lets them run least."""
    hours = [
        capacity.max_run_hours
        for queue, it in kueue.cluster_queues.items()
        if name in it.admission_checks
        for capacity in (config.flavor_pools[flavor].capacity for flavor in kueue.shares(queue))
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


def _namespaces(
    config: QueueStack, kueue: KueueConfig, on: Cloud, inside: pulumi.ResourceOptions
) -> dict[str, pulumi.Input[str]]:
    return {
        name: KubeNamespace(
            f"kube-{name}", KubeNamespaceArgs(namespace=name, labels=on.labels), opts=inside
        ).namespace
        for name in kueue.namespaces
        if name not in (config.namespace, "default")
    }


def _cluster_queue(config: QueueStack, kueue: KueueConfig, name: str) -> ClusterQueueArgs:
    queue = kueue.cluster_queues[name]
    shares = kueue.shares(name)
    counted = any(quota[GPU] for quota in config.quotas[name].values())
    return ClusterQueueArgs(
        name=name,
        cohort=queue.cohort,
        namespaces=queue.namespaces,
        admission_checks={
            check: [it for it in shares if isinstance(config.flavor_pools[it].capacity, Queued)]
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
                    for flavor, quota in config.quotas[name].items()
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


def _priorities(
    kueue: KueueConfig, on: Cloud, inside: pulumi.ResourceOptions
) -> dict[str, pulumi.Output[str]]:
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
            labels=on.labels,
        ),
        opts=inside,
    )
    return {it.name: made.class_names[it.name] for it in kueue.priorities}
