"""What follows from a team: its members, and its quota as Kubernetes counts. No Pulumi import."""

from collections.abc import Iterable
from dataclasses import dataclass

from components.base.members import EDIT, GROUP, USER, VIEW, MemberArgs
from components.base.naming import NameKind, cloud_name
from components.base.pod_manifest import GPU, TPU
from components.queues.labels import DEFAULT_QUEUE
from components.teams.quota import DEFAULT_MILLICORES, TeamQuotaArgs
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.teams.config import StackTeam, TeamQuota


@dataclass(frozen=True)
class PlannedTeam:
    """`name` is that of the namespace, too; `given_out` are resources: the accelerators that the
    stack's queues give out. Every team may name the priorities that are `ordinary`."""

    name: str
    config: StackTeam
    given_out: frozenset[str] = frozenset()
    ordinary: tuple[str, ...] = ()

    @property
    def field(self) -> str:
        return f"teams.{self.name}"

    @property
    def priorities(self) -> list[str]:
        """What its work may name, of priority classes and of Kueue's."""
        return [*dict.fromkeys((*self.config.priorities, *self.ordinary))]

    @property
    def local_queues(self) -> tuple[str, ...]:
        """LocalQueues of the team's namespace that lead to its queue."""
        return () if self.config.queue is None else (self.name, DEFAULT_QUEUE)

    @property
    def members(self) -> tuple[MemberArgs, ...]:
        kinds = ((GROUP, self.config.groups), (USER, self.config.users))
        return tuple(
            MemberArgs(email=email, kind=kind, role=role)
            for kind, members in kinds
            for role, emails in ((EDIT, members.edit), (VIEW, members.view))
            for email in emails
        )

    @property
    def quota(self) -> TeamQuotaArgs | None:
        """What a team without a queue does not name of what queues give out, it has none of: Kueue
        counts no pods but those of queues, and would admit work to machines that others are on."""
        quota = self.config.quota or TeamQuota()
        if self.config.quota is None and (self.config.queue is not None or not self.given_out):
            return None
        cpu = None if quota.cpu is None else round(quota.cpu * 1000)
        devices = {GPU: quota.gpus, TPU: quota.chips}
        if self.config.queue is None:
            none = dict.fromkeys(self.given_out, 0)
            devices = {name: none.get(name) if it is None else it for name, it in devices.items()}
        return TeamQuotaArgs(
            cpu=cpu,
            memory=None if quota.memory_gib is None else quota.memory_gib * 1024,
            devices={name: count for name, count in devices.items() if count is not None},
            pods=quota.pods,
            default_cpu=min(DEFAULT_MILLICORES, cpu or DEFAULT_MILLICORES),
        )


def services_policy_name(stack: str) -> str:
    """Name of the policy that keeps services of teams inside the cluster, whose object it is."""
    return cloud_name(NameKind.KUBERNETES, stack, "team-services")


def reach_policy_name(stack: str) -> str:
    """Name of the policy for what others reach in a team's name."""
    return cloud_name(NameKind.KUBERNETES, stack, "team-reach")


def pods_policy_name(stack: str) -> str:
    """Name of the policy for pods that mount folders of their node."""
    return cloud_name(NameKind.KUBERNETES, stack, "team-pods")


def private_namespaces(teams: Iterable[PlannedTeam]) -> list[str]:
    """Those of teams that publish no service outside the cluster."""
    return [it.name for it in teams if not it.config.load_balancers]


def privileged_namespaces(teams: Iterable[PlannedTeam]) -> list[str]:
    """Those of teams whose pods mount folders of their node."""
    return [it.name for it in teams if it.config.pod_security == "privileged"]


def most_of(pools: Iterable[PlannedPool]) -> dict[str, float]:
    """What all nodes that there can ever be leave to pods, by the fields of a quota."""
    most: dict[str, float] = dict.fromkeys(("cpu", "memory_gib", "gpus", "chips", "pods"), 0)
    for pool in pools:
        node, count = pool.host.node, pool.bounds.max
        most["cpu"] += node.cpu_millicores * count / 1000
        most["memory_gib"] += node.memory_mib * count / 1024
        most["gpus"] += pool.accelerators * count if pool.kind == "gpu" else 0
        most["chips"] += pool.accelerators * count if pool.kind == "tpu" else 0
        most["pods"] += pool.config.max_pods_per_node * count
    return most
