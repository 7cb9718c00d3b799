"""Kueue, its queues and its priorities."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pulumi

from components.kueue import Kueue, KueueArgs
from components.kueue_manifest import controller_configuration
from components.kueue_queues import KueueQueues, LocalQueueArgs, ResourceFlavorArgs
from components.namespace import KubeNamespace, KubeNamespaceArgs
from components.node_taints import toleration
from stacks.parts.cluster.build import webhook_access
from stacks.parts.cluster.config import Operator
from stacks.parts.queues.config import StackQueues
from stacks.parts.queues.gke_namespaces import GKE_NAMESPACES
from stacks.parts.queues.objects import QueueView, priorities, queues_args
from stacks.parts.queues.plan import PlannedQueues
from stacks.site import Site, Teams, helm_chart

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


def build(site: Site, teams: Teams, kinds: Sequence[pulumi.Resource] = ()) -> Queues:
    """`queues` are those of the stack's namespace; `kinds` bring what Kueue is told to look for."""
    planned = site.plan.queues
    if planned is None:
        return Queues()
    kueue, own = planned.config, site.plan.stack.namespace
    installed = _kueue(site, planned, kinds)
    view = QueueView(
        config=kueue,
        flavor_nodes=planned.flavor_nodes,
        flavor_pools=planned.flavor_pools,
        quotas=planned.quotas,
    )
    namespaces = {own: site.namespace, **_namespaces(site, kueue), **teams.namespaces}
    args = queues_args(view, installed, site.nodes.only, namespaces, site.labels)
    args = replace(
        args,
        flavors=[_tolerating(planned, it) for it in args.flavors],
        local_queues=[*args.local_queues, *_team_queues(site)],
    )
    made = KueueQueues("queues", args, opts=site.inside)
    return Queues(
        queues={
            it.name: made.local_queues[f"{own}/{it.name}"]
            for it in kueue.local_queues
            if it.namespace in (None, own)
        },
        priorities=priorities(kueue, site.labels, site.inside),
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
            unmanaged_namespaces=GKE_NAMESPACES,
            ready_minutes=planned.ready_minutes,
            node_selector=None if site.plan.autopilot else site.nodes.cpu,
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


def _team_queues(site: Site) -> list[LocalQueueArgs]:
    """One of each team that names a cluster queue."""
    return [
        LocalQueueArgs(name=name, namespace=name, cluster_queue=team.config.queue)
        for name, team in site.plan.teams.items()
        if team.config.queue is not None
    ]


def _tolerating(planned: PlannedQueues, flavor: ResourceFlavorArgs) -> ResourceFlavorArgs:
    """Whom a queue sends to tainted nodes may go there: Kueue adds the tolerations to its pods."""
    taints = planned.pool_of(flavor.name).taints
    own = [{"key": it.key, "value": it.value, "effect": it.effect} for it in taints]
    return replace(
        flavor,
        taints=[*flavor.taints, *own],
        tolerations=[*flavor.tolerations, *map(toleration, taints)],
    )
