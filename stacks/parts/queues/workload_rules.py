"""What a workload asks of its queue: that it is there, takes its kind, can ever give it out, and
that the pods which it admits then have room. No Pulumi import.

Source: kubernetes-sigs/kueue v0.19.2, pkg/scheduler/flavorassigner: all pods of one pod set get one
flavor; keps/2724-topology-aware-scheduling: quota says nothing of which node has how much of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from components.queues.frameworks import FRAMEWORKS
from stacks.config_errors import nearest
from stacks.offers import yaml_text
from stacks.parts.pools.nodes import Amounts, pods_surely_beside
from stacks.parts.queues.config import StackQueues
from stacks.parts.queues.plan import RESOURCES, Quota
from stacks.parts.queues.unqueued import asked_of
from stacks.plan import Plan
from stacks.problems import Problem


@dataclass(frozen=True, kw_only=True)
class Queued:
    """Pods that wait in a LocalQueue of the namespace `where`."""

    field: str
    queue: str
    where: str
    pod: Amounts
    pods: int

    def cluster_queue(self, kueue: StackQueues) -> str:
        """What is behind the LocalQueue; empty where there is no such one, which is told by
        `queue_problems`."""
        doors = (it for it in kueue.local_queues if (it.namespace or self.where) == self.where)
        return next((it.cluster_queue for it in doors if it.name == self.queue), "")


def queue_problems(
    kueue: StackQueues | None, field: str, queue: str | None, where: str
) -> list[Problem]:
    """A workload's queue is one of the stack's, in the workload's namespace."""
    if queue is None:
        return []
    if kueue is None:
        return [Problem(field, f'"{queue}": the stack has no queues; nearest: leave it out')]
    known = [it.name for it in kueue.local_queues if (it.namespace or where) == where]
    if queue in known:
        return []
    near = nearest(queue, known) if known else "one more in queues.local_queues"
    return [
        Problem(field, f'"{queue}" is no local queue of the namespace {where}; nearest: {near}')
    ]


def framework_problems(kueue: StackQueues | None, workload: str, framework: str) -> list[Problem]:
    """Kueue starts nothing of a kind that it was not told of."""
    if (
        kueue is None
        or framework in kueue.frameworks
        or not FRAMEWORKS.issuperset(kueue.frameworks)
    ):
        return []
    return [
        Problem(
            "queues.frameworks",
            f"without {framework} {workload} would wait in its queue for ever; "
            f"nearest: {yaml_text([*kueue.frameworks, framework])}",
        )
    ]


def priority_problems(kueue: StackQueues | None, field: str, priority: str | None) -> list[Problem]:
    """A pod's priority class is one that the stack makes.

    Those that every cluster has (system-node-critical, system-cluster-critical) GKE gives to its
    own namespaces by quotas, and refuses pods elsewhere (openservicemesh/osm issue 4408,
    open-policy-agent/gatekeeper issue 1120, read 2026-11-22).
    """
    known = [it.name for it in kueue.priorities] if kueue else []
    if priority is None or priority in known:
        return []
    near = nearest(priority, known) if known else "leave it out"
    return [Problem(field, f'"{priority}" is no priority class of this stack; nearest: {near}')]


def workload_priority_problems(
    kueue: StackQueues | None, field: str, priority: str | None, queue: str | None
) -> list[Problem]:
    """One that the stack makes, of a workload that is in a queue."""
    if priority is None:
        return []
    if queue is None:
        return [Problem(field, f'"{priority}" is for what waits in a queue; nearest: leave it out')]
    known = [it.name for it in kueue.workload_priorities] if kueue else []
    if priority in known:
        return []
    near = nearest(priority, known) if known else "leave it out"
    return [Problem(field, f'"{priority}" is not in queues.workload_priorities; nearest: {near}')]


def given_out_problems(
    plan: Plan, field: str, queue: str | None, pools: Sequence[str]
) -> Iterator[Problem]:
    """What runs on `pools` alone is admitted from a queue that gives them out.

    Kueue holds pods' node selectors against the labels that its flavors have, which here are the
    pools' names (kubernetes-sigs/kueue v0.19.2 pkg/scheduler/flavorassigner/flavorassigner.go,
    flavorSelector).
    """
    queues = plan.queues
    if queues is None or queue is None or not queues.sound:
        return
    given = queues.given_out(queue)
    missing = [it for it in pools if it not in given]
    if given and missing:
        yield Problem(
            field,
            f'"{queue}" gives out {", ".join(given)}, and this runs on {", ".join(missing)}, so it '
            f"would wait for ever; nearest: one more of queues.flavors, with pool {missing[0]}",
        )


def admission_problems(
    kueue: StackQueues, found: Mapping[str, Quota], wanted: Queued
) -> Iterator[Problem]:
    """So many pods at once are within what their queue can ever give out, whoever waits; `found`
    has each queue's quota of their nodes. What a cohort lends is not known to be too little."""
    name = wanted.cluster_queue(kueue)
    quota = found.get(name) if name else None
    if quota is None or kueue.cluster_queues[name].cohort is not None:
        return
    fitting = _held(quota, wanted.pod)
    if fitting < wanted.pods:
        asked = {key: it * wanted.pods for key, it in asked_of(wanted.pod).items()}
        yield Problem(
            f"{wanted.field}.queue",
            f"{_counted(wanted.pods)} would wait for ever for what {name} never has: "
            f"{beyond(quota, asked)}; "
            f"nearest: {f'{_counted(fitting)}, or ' if fitting else ''}a larger quota",
        )


def spread_problems(
    kueue: StackQueues,
    found: Mapping[str, Quota],
    job: Queued,
    guest: Queued,
    *,
    node: Amounts,
    nodes: int,
    on_node: Amounts,
) -> Iterator[Problem]:
    """A job that is admitted beside `guest`s finds room however those are spread over the nodes.

    `guest.pods` is the most there may be, `guest.queue` empty for those that no queue holds back.
    `on_node` is a pod of the job with what GKE adds to it, which no quota counts.
    """
    if node.holds(guest.pod) == 0:
        return

    def fits(pods: int, on: int) -> bool:
        most = guest.pods
        if guest.queue and on == nodes:
            most = min(most, _admitted_beside(kueue, found, job, guest, pods))
        return pods_surely_beside(node, on, guest.pod, most, on_node) >= pods

    if fits(job.pods, nodes):
        return
    fewer = next((it for it in range(job.pods - 1, 0, -1) if fits(it, nodes)), 0)
    more = nodes + 1
    while not fits(job.pods, more):
        more += 1
    yield Problem(
        f"{job.field}.pods",
        f"{job.pods} pods may be admitted beside as many of {guest.field} as leave them the quota, "
        f"but spread over {nodes} nodes those leave too few of them room, and the rest would wait "
        f"for ever; nearest: {f'{fewer}, or ' if fewer else ''}{more} nodes",
    )


def beyond(quota: Quota, asked: Mapping[str, int]) -> str:
    """What is asked of each resource of which there is less."""
    return ", ".join(
        f"{it.shown(asked[it.name])} of {it.shown(quota[it.name])} {it.noun}"
        for it in RESOURCES.values()
        if asked[it.name] > quota[it.name]
    )


def _admitted_beside(
    kueue: StackQueues, found: Mapping[str, Quota], job: Queued, guest: Queued, pods: int
) -> int:
    """How many guests have quota when so many pods of the job have theirs."""
    name = guest.cluster_queue(kueue)
    if not name or kueue.cluster_queues[name].cohort is not None:
        return guest.pods
    if name not in found:
        # It gives out none of these nodes.
        return 0
    quota = found[name]
    if job.cluster_queue(kueue) == name:
        asked = asked_of(job.pod)
        quota = {key: amount - asked[key] * pods for key, amount in quota.items()}
    return max(0, _held(quota, guest.pod))


def _held(quota: Quota, pod: Amounts) -> int:
    return min(quota[key] // amount for key, amount in asked_of(pod).items() if amount)


def _counted(pods: int) -> str:
    return "1 pod" if pods == 1 else f"{pods} pods"
