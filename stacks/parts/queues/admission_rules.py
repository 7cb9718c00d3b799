"""What a workload's queue can ever give out, and where the pods that it admits then have room.

Source: kubernetes-sigs/kueue v0.19.2, pkg/scheduler/flavorassigner: all pods of one pod set get one
flavor, and quota says nothing of which node has how much of it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stacks.parts.queues.config import StackQueues
from stacks.parts.queues.quotas import AMOUNT_NAMES, GPU, RESOURCES, Quota, shown
from stacks.problems import Problem
from stacks.rules.packing import Amounts, pods_surely_beside

Quotas = Mapping[str, Mapping[str, Quota]]


@dataclass(frozen=True, kw_only=True)
class Queued:
    """Pods that wait in a LocalQueue of the namespace `where`."""

    field: str
    queue: str
    where: str
    pod: Amounts
    pods: int

    def cluster_queue(self, kueue: StackQueues) -> str:
        return cluster_queue_of(kueue, self.queue, self.where)


def cluster_queue_of(kueue: StackQueues, queue: str, where: str) -> str:
    """What is behind a LocalQueue of the namespace `where`."""
    doors = (it for it in kueue.local_queues if (it.namespace or where) == where)
    return next(it.cluster_queue for it in doors if it.name == queue)


def admission_problems(kueue: StackQueues, found: Quotas, wanted: Queued) -> Iterator[Problem]:
    """So many pods at once are within what their queue can ever give out, whoever waits; `found`
    has the flavor of their nodes alone."""
    name = wanted.cluster_queue(kueue)
    if kueue.cluster_queues[name].cohort is not None:
        # What others lend is not known to be too little.
        return
    for quota in found[name].values():
        fitting = _held(quota, wanted.pod)
        if fitting < wanted.pods:
            yield Problem(
                f"{wanted.field}.queue",
                f"{_counted(wanted.pods)} would wait for ever for what {name} never has: "
                f"{', '.join(_short(quota, wanted))}; "
                f"nearest: {f'{_counted(fitting)}, or ' if fitting else ''}a larger quota",
            )


def together_problems(
    kueue: StackQueues, name: str, field: str, what: str, wanted: Mapping[str, tuple[Quota, Quota]]
) -> Iterator[Problem]:
    """Pods of several kinds that the cluster queue `name` admits together: by pool what it has of
    the pool's flavor, and what they ask for there."""
    if kueue.cluster_queues[name].cohort is not None:
        # What others lend is not known to be too little.
        return
    for pool, (quota, asked) in wanted.items():
        short = ", ".join(_beyond(quota, asked))
        if short:
            yield Problem(
                f"{field}.queue",
                f"{what} are admitted together, and would wait for ever for what {name} never has "
                f"of {pool}: {short}; nearest: a larger quota",
            )


def asked_together(pods: Mapping[str, int], each: Mapping[str, Amounts]) -> Quota:
    """What so many pods of each kind ask for."""
    found: Counter[str] = Counter()
    for kind, number in pods.items():
        found.update({key: amount * number for key, amount in _asked(each[kind]).items()})
    return dict(found)


def spread_problems(
    kueue: StackQueues | None,
    found: Quotas,
    job: Queued,
    guest: Queued | None,
    *,
    node: Amounts,
    nodes: int,
    on_node: Amounts,
) -> Iterator[Problem]:
    """A job that is admitted beside `guest`s finds room however those are spread over the nodes.

    `guest.pods` is the most there may be, `guest.queue` empty for those that no queue holds back.
    `on_node` is a pod of the job with what GKE adds to it, which no quota counts.
    """
    if guest is None or node.holds(guest.pod) == 0:
        return

    def fits(pods: int, on: int) -> bool:
        most = guest.pods
        if kueue is not None and guest.queue and on == nodes:
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


def _admitted_beside(
    kueue: StackQueues, found: Quotas, job: Queued, guest: Queued, pods: int
) -> int:
    """How many guests have quota when so many pods of the job have theirs."""
    name = guest.cluster_queue(kueue)
    if kueue.cluster_queues[name].cohort is not None:
        return guest.pods
    quota = next(iter(found[name].values()), None)
    if quota is None:
        # It gives out none of these nodes.
        return 0
    if job.cluster_queue(kueue) == name:
        asked = _asked(job.pod)
        quota = {key: amount - asked[key] * pods for key, amount in quota.items()}
    return max(0, _held(quota, guest.pod))


def _asked(pod: Amounts) -> Quota:
    return {
        "cpu": pod.cpu_millicores,
        "memory": pod.memory_mib,
        GPU: pod.gpus,
        "ephemeral-storage": pod.ephemeral_storage_mib,
    }


def _held(quota: Quota, pod: Amounts) -> int:
    return min(quota[key] // amount for key, amount in _asked(pod).items() if amount)


def _short(quota: Quota, wanted: Queued) -> Iterator[str]:
    return _beyond(quota, {key: it * wanted.pods for key, it in _asked(wanted.pod).items()})


def _beyond(quota: Quota, asked: Quota) -> Iterator[str]:
    for part, (resource, unit) in RESOURCES.items():
        amount = asked[resource]
        if amount > quota[resource]:
            amounts = f"{shown(amount, unit)} of {shown(quota[resource], unit)}"
            yield f"{amounts} {AMOUNT_NAMES[part]}"


def _counted(pods: int) -> str:
    return "1 pod" if pods == 1 else f"{pods} pods"
