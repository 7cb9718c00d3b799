"""Teams that can come in, run, and stay apart from each other. No Pulumi import."""

from collections.abc import Iterator

from components.members import GROUP
from stacks.config_errors import nearest
from stacks.parts.teams.plan import PlannedTeam, most_of
from stacks.plan import Plan
from stacks.problems import Problem

_AMOUNTS = {
    "cpu": "CPUs",
    "memory_gib": "GiB of memory",
    "gpus": "GPUs",
    "chips": "TPU chips",
    "pods": "pods",
}
# Kubernetes makes a service account of this name in every namespace, and a namespace in every
# cluster.
_GIVEN = "default"


def name_problems(plan: Plan) -> Iterator[Problem]:
    """A team's namespace is nobody else's."""
    queues = plan.stack.queues
    others = {
        _GIVEN: "the namespace that every cluster has",
        plan.stack.namespace: "the namespace of the stack itself",
    }
    for team in plan.teams.values():
        if team.name in others:
            yield Problem(
                team.field,
                f"{others[team.name]}, which a team cannot have to itself; "
                f"nearest: {f'{team.name}-team'[:63]}",
            )
        if team.config.service_account == _GIVEN:
            yield Problem(
                f"{team.field}.service_account",
                f'"{_GIVEN}": Kubernetes makes one of this name in every namespace; nearest: team',
            )
    for place, name in enumerate(queues.namespaces if queues else ()):
        if name in plan.teams:
            yield Problem(
                f"queues.namespaces[{place}]",
                f'"{name}" is made for the team of this name already; nearest: leave it out',
            )


def member_problems(plan: Plan) -> Iterator[Problem]:
    """GKE knows groups only by the one that they are members of (GKE documentation, "Configure
    Google Groups for RBAC")."""
    cluster = plan.stack.cluster
    if cluster.security_group is not None or not cluster.is_made:
        return
    for team in plan.teams.values():
        groups = [it.email for it in team.members if it.kind == GROUP]
        if groups:
            domain = groups[0].rpartition("@")[2]
            yield Problem(
                f"{team.field}.groups",
                "the cluster knows no groups; nearest: "
                f"cluster.security_group: gke-security-groups@{domain}",
            )


def bucket_problems(plan: Plan) -> Iterator[Problem]:
    known = list(plan.stack.buckets)
    for team in plan.teams.values():
        for key in team.config.buckets:
            if key not in known:
                near = f"the key {nearest(key, known)}" if known else "leave it out"
                yield Problem(
                    f"{team.field}.buckets.{key}",
                    f"the stack has no bucket of this name; nearest: {near}",
                )


def share_problems(plan: Plan) -> Iterator[Problem]:
    """What the team may have is said once, and can be had."""
    for team in plan.teams.values():
        if team.config.queue is not None:
            yield from _queue_problems(plan, team, team.config.queue)
        yield from _quota_problems(plan, team)


RULES = (name_problems, member_problems, bucket_problems, share_problems)


def _queue_problems(plan: Plan, team: PlannedTeam, queue: str) -> Iterator[Problem]:
    field, kueue = f"{team.field}.queue", plan.stack.queues
    if team.config.quota is not None:
        yield Problem(
            f"{team.field}.quota",
            f"Kueue knows of no quota but that of the queue {queue}, and would start what "
            "Kubernetes then refuses; nearest: leave it out",
        )
    if kueue is None:
        yield Problem(field, f'"{queue}": the stack has no queues; nearest: leave it out')
        return
    known = list(kueue.cluster_queues)
    if queue not in known:
        yield Problem(
            field,
            f'"{queue}" is no cluster queue of this stack; nearest: {nearest(queue, known)}',
        )
        return
    only = kueue.cluster_queues[queue].namespaces
    if only and team.name not in only:
        yield Problem(
            field,
            f"{queue} takes nothing of the namespace {team.name}, so all would wait for ever; "
            f"nearest: {team.name} in queues.cluster_queues.{queue}.namespaces",
        )
    for place, one in enumerate(kueue.local_queues):
        if (one.namespace, one.name) == (team.name, team.name):
            yield Problem(
                f"queues.local_queues[{place}]",
                f"{team.field}.queue makes this one already; nearest: leave it out",
            )


def _quota_problems(plan: Plan, team: PlannedTeam) -> Iterator[Problem]:
    """On Autopilot there are nodes for whatever pods ask for."""
    quota = team.config.quota
    if quota is None:
        return
    given = quota.model_dump(exclude_none=True)
    if not given:
        yield Problem(
            f"{team.field}.quota", "it names no resource, and limits nothing; nearest: pods: 100"
        )
    if plan.autopilot:
        return
    most = most_of(plan.pools.values())
    for part, amount in given.items():
        there = int(most[part])
        if amount > most[part]:
            yield Problem(
                f"{team.field}.quota.{part}",
                f"{amount:g} {_AMOUNTS[part]} are more than the {there} that all nodes can ever "
                f"leave to pods; nearest: {there}",
            )
