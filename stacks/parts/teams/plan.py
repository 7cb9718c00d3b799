"""What follows from a team: its members, and its quota as Kubernetes counts. No Pulumi import."""

from collections.abc import Iterable
from dataclasses import dataclass

from components.members import EDIT, GROUP, USER, VIEW, MemberArgs
from components.pod_manifest import GPU
from components.team_quota import TeamQuotaArgs
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.teams.config import StackTeam

_TPU = "google.com/tpu"
# What a container asks for that does not say, under a quota that makes it say something.
_DEFAULT_MILLICORES = 100


@dataclass(frozen=True)
class PlannedTeam:
    """`name` is that of the namespace and of the LocalQueue, too."""

    name: str
    config: StackTeam

    @property
    def field(self) -> str:
        return f"teams.{self.name}"

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
        quota = self.config.quota
        if quota is None:
            return None
        cpu = None if quota.cpu is None else round(quota.cpu * 1000)
        devices = {GPU: quota.gpus, _TPU: quota.chips}
        return TeamQuotaArgs(
            cpu=cpu,
            memory=None if quota.memory_gib is None else quota.memory_gib * 1024,
            devices={name: count for name, count in devices.items() if count is not None},
            pods=quota.pods,
            default_cpu=min(_DEFAULT_MILLICORES, cpu or _DEFAULT_MILLICORES),
        )


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
