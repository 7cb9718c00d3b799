"""What a team is given that nothing of the stack uses, or that is another team's, too. No Pulumi
import."""

from collections.abc import Iterator

from components.members import EDIT
from stacks.parts.queues.config import ClusterQueue, StackQueues
from stacks.parts.teams.plan import PlannedTeam, privileged_namespaces
from stacks.plan import Plan


def advice(plan: Plan) -> Iterator[str]:
    """Folders of a node are for pods that speak RDMA by gIB; the pools of a cluster that exists
    already may be another stack's."""
    if plan.nccl_stacks or not plan.stack.cluster.is_made:
        return
    for name in privileged_namespaces(plan.teams.values()):
        yield (
            f"stack.teams.{name}.pod_security: privileged, which is for pods that speak RDMA by "
            "gIB, and no pool of the stack has that: unless another stack's in the cluster does, "
            "its pods may mount two folders of their node for nothing; nearest: baseline"
        )


def priority_advice(plan: Plan) -> Iterator[str]:
    """A PriorityClass is for every namespace, and nothing bounds which one a member names but for
    Kubernetes' own (components/team_borders_manifest.py)."""
    queues = plan.stack.queues
    teams = [it for it in plan.teams.values() if any(one.role == EDIT for one in it.members)]
    if queues is None or len(teams) < 2:
        return
    if classes := _preempting(queues, teams):
        yield (
            f"stack.teams: members of {', '.join(it.name for it in teams)} may name any priority "
            f"class of the stack, and by {', '.join(classes)} stop each other's work and the "
            "stack's; nearest: preempts: false in the class, which kube-scheduler heeds, and "
            "preemption.within_queue: Never in the cluster queue, which Kueue does"
        )


def _preempting(queues: StackQueues, teams: list[PlannedTeam]) -> list[str]:
    """Classes by which work of one team takes the place of another's. Kueue looks at the value of
    each class alone."""
    named = [it.config.queue for it in teams if it.config.queue is not None]
    given = {name: queues.cluster_queues[name] for name in named if name in queues.cluster_queues}
    shared = len(given) < len(named) or any(it.cohort for it in given.values())
    if shared and any(map(_by_priority, given.values())):
        return [it.name for it in (*queues.priorities, *queues.workload_priorities)]
    return [it.name for it in queues.priorities if it.preempts]


def _by_priority(queue: ClusterQueue) -> bool:
    within, borrows = queue.preemption.within_queue, queue.preemption.borrow_from_cohort
    reclaims = queue.cohort is not None and queue.reclaim_from_cohort == "LowerPriority"
    return within != "Never" or borrows != "Never" or reclaims
