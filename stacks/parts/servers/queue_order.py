"""Who else waits in the queue of a server, and who goes first. No Pulumi import.

Each pod of a changed server is a new workload. One that is made at once has the quota of the one
before: Kueue looks at what has waited a second later (kubernetes-sigs/kueue v0.19.2
pkg/cache/queue/inadmissible_workloads.go, requeueBatchPeriod). One that is made when the one before
is gone comes too late for that. A workload of a higher priority stops lower ones in its queue, and
those that borrowed its quota (pkg/scheduler/preemption/preemption.go).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stacks.parts.jobs.script import Script
from stacks.parts.queues.config import StackQueues
from stacks.parts.servers.plan import PlannedServer
from stacks.plan import Plan


@dataclass(frozen=True)
class Neighbour:
    """Something else that may wait: `field` is where the config says so, `priority` the least
    that it can have."""

    field: str
    priority: int


def neighbours(plan: Plan, server: PlannedServer) -> list[Neighbour]:
    """Workloads of the stack, and namespaces of other people, with the server's cluster queue or
    one that shares its cohort."""
    queues = plan.queues
    own = None if queues is None else queues.cluster_queue(server.config.queue or "")
    if queues is None or own is None:
        return []
    kueue = queues.config
    shared = _same_cohort(kueue, own)
    usual = priority_of(kueue, None, None)
    found = [it for it in _of_stack(plan, kueue, shared) if it.field != server.field]
    for place, door in enumerate(kueue.local_queues):
        elsewhere = door.namespace not in (None, queues.namespace)
        if elsewhere and door.cluster_queue in shared:
            found.append(Neighbour(f"queues.local_queues[{place}]", usual))
    for name, team in plan.stack.teams.items():
        if team.queue in shared:
            found.append(Neighbour(f"teams.{name}", usual))
    return found


def priority_of(kueue: StackQueues, workload_priority: str | None, priority: str | None) -> int:
    """As Kueue looks for it: its own class, the pods' class, the default class, 0."""
    own = {it.name: it.value for it in kueue.workload_priorities}
    classes = {it.name: it.value for it in kueue.priorities}
    return own.get(workload_priority or "", classes.get(priority or "", kueue.usual_priority))


def own_priority(plan: Plan, server: PlannedServer) -> int:
    """Of one in a queue, or in a class that preempts, both of which come with queues."""
    kueue, config = plan.stack.queues, server.config
    assert kueue is not None
    return priority_of(kueue, config.workload_priority, config.priority)


def _of_stack(plan: Plan, kueue: StackQueues, shared: set[str]) -> Iterator[Neighbour]:
    queued = plan.queues
    assert queued is not None
    stack = plan.stack
    of_jobs: Mapping[str, tuple[str | None, str | None, str | None]] = {
        f"jobs.{name}": (it.queue, it.workload_priority, it.priority)
        for name, it in stack.jobs.items()
        if isinstance(it, Script)
    }
    of_tunings = {
        it.field: (it.queue, it.config.workload_priority, it.config.priority)
        for it in plan.fine_tunings.values()
    }
    of_servers = {
        f"servers.{name}": (it.queue, it.workload_priority, it.priority)
        for name, it in stack.servers.items()
    }
    of_ray = {f"ray.{name}": (it.queue, None, None) for name, it in stack.ray.items()}
    everything = {**of_jobs, **of_tunings, **of_servers, **of_ray}
    for field, (queue, workload_priority, priority) in everything.items():
        if queue is not None and queued.cluster_queue(queue) in shared:
            yield Neighbour(field, priority_of(kueue, workload_priority, priority))


def _same_cohort(kueue: StackQueues, queue: str) -> set[str]:
    root = _root(kueue, queue)
    if root is None:
        return {queue}
    return {it for it in kueue.cluster_queues if _root(kueue, it) == root}


def _root(kueue: StackQueues, queue: str) -> str | None:
    """The topmost cohort over a cluster queue. One that is its own ancestor ends the walk."""
    at, passed = kueue.cluster_queues[queue].cohort, set[str]()
    while at in kueue.cohorts and (above := kueue.cohorts[at].parent) and at not in passed:
        passed.add(at)
        at = above
    return at
