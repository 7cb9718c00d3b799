"""Teams that can come in, run, and stay apart from each other. No Pulumi import."""

from collections.abc import Iterator

from components.base.members import GROUP
from components.base.pod_manifest import GPU, TPU
from components.jobs.job_set_manifest import OWN_VARIABLES
from components.queues.frameworks import FRAMEWORKS
from stacks.config_errors import nearest
from stacks.offers import yaml_text
from stacks.parts.jobs.command_words import FILES_VARIABLE
from stacks.parts.teams.plan import PlannedTeam, most_of
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.secret_references import variable_problems

_AMOUNTS = {
    "cpu": "CPUs",
    "memory_gib": "GiB of memory",
    "gpus": "GPUs",
    "chips": "TPU chips",
    "pods": "pods",
}
_ACCELERATORS = {"gpus": GPU, "chips": TPU}
# Every cluster has a namespace of this name.
_GIVEN = "default"
# Kueue's framework for pods whatever makes them, but for what makes them itself known to Kueue
# (kubernetes-sigs/kueue v0.19.2 pkg/controller/jobs/pod/pod_webhook.go).
_PODS = "pod"


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
                f'"{team.name}" is {others[team.name]}, which a team cannot have to itself; '
                f"nearest: {f'{team.name}-team'[:63]}",
                of_key=True,
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


def secret_problems(plan: Plan) -> Iterator[Problem]:
    own = {*OWN_VARIABLES, FILES_VARIABLE}
    for team in plan.teams.values():
        yield from variable_problems(f"{team.field}.secrets", team.config.secrets, own)


def priority_problems(plan: Plan) -> Iterator[Problem]:
    queues = plan.stack.queues
    known = [] if queues is None else [*queues.priorities, *queues.workload_priorities]
    names = [it.name for it in known]
    for team in plan.teams.values():
        for place, name in enumerate(team.config.priorities):
            if name not in names:
                near = nearest(name, names) if names else "leave it out"
                yield Problem(
                    f"{team.field}.priorities[{place}]",
                    f'"{name}" is in neither queues.priorities nor queues.workload_priorities; '
                    f"nearest: {near}",
                )


def share_problems(plan: Plan) -> Iterator[Problem]:
    """What the team may have is said once, and can be had."""
    for team in plan.teams.values():
        if team.config.queue is not None:
            yield from _queue_problems(plan, team, team.config.queue)
        yield from _quota_problems(plan, team)


RULES = (
    name_problems,
    member_problems,
    bucket_problems,
    secret_problems,
    priority_problems,
    share_problems,
)


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
    if _PODS not in kueue.frameworks and FRAMEWORKS.issuperset(kueue.frameworks):
        yield Problem(
            "queues.frameworks",
            f"without {_PODS} single pods and Deployments of {team.name} would start past the "
            f"queue {queue}; nearest: {yaml_text([*kueue.frameworks, _PODS])}",
        )
    for place, one in enumerate(kueue.local_queues):
        if one.namespace == team.name and one.name in team.local_queues:
            yield Problem(
                f"queues.local_queues[{place}]",
                f"{team.field}.queue makes this one already; nearest: leave it out",
            )


def _left_by_queues(plan: Plan, team: PlannedTeam, part: str) -> int | None:
    """Of all accelerators what neither queues nor the teams before this one have. Kueue knows
    nothing of the others' pods, and would admit work that finds no room."""
    queues, resource = plan.queues, _ACCELERATORS.get(part)
    if queues is None or not queues.sound or resource is None:
        return None
    given = sum(quota[resource] for has in queues.quotas.values() for quota in has.values())
    if not given:
        return None
    left = int(most_of(plan.pools.values())[part]) - given
    for other in plan.teams.values():
        if other.name == team.name:
            break
        quota = other.config.quota
        left -= 0 if quota is None else getattr(quota, part) or 0
    return max(0, left)


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
        left = _left_by_queues(plan, team, part)
        there, whose, near = int(most[part]), "all nodes can ever leave to pods", ""
        if left is not None and left < there:
            there, whose, near = left, "queues leave of all nodes", ", or less in queues"
        if amount > (most[part] if left is None else there):
            yield Problem(
                f"{team.field}.quota.{part}",
                f"{amount:g} {_AMOUNTS[part]} are more than the {there} that {whose}; "
                f"nearest: {there}{near}",
            )
