"""Kueue and its queues, from a stack's config."""

from dataclasses import dataclass

import pulumi

from components.kueue import Kueue, KueueArgs
from components.kueue_manifest import (
    controller_configuration,
)
from components.kueue_queues import (
    KueueQueues,
)
from components.namespace import KubeNamespace, KubeNamespaceArgs
from components.webhook_access import WebhookAccess, WebhookAccessArgs
from stacks import platform
from stacks.blocks.kueue import Kueue as KueueConfig
from stacks.blocks.queue_stack import QueueStack
from stacks.nodes import ClusterNodes
from stacks.parts.queues.objects import QueueView, priorities, queues_args
from stacks.platform import Cloud

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
    view = QueueView(
        config=kueue,
        flavor_nodes=config.flavor_nodes,
        flavor_pools=config.flavor_pools,
        quotas=config.quotas,
    )
    namespaces = {config.namespace: where, **_namespaces(config, kueue, on, inside)}
    args = queues_args(view, installed, nodes.selectors, namespaces, on.labels)
    made = KueueQueues("queues", args, opts=inside)
    return Queues(
        queues={
            it.name: made.local_queues[f"{config.namespace}/{it.name}"]
            for it in kueue.local_queues
            if it.namespace in (None, config.namespace)
        },
        priorities=priorities(kueue, on.labels, inside),
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
