"""Jobs that never have quota beside what is always in their queue: each is judged alone by the
rules, and may run until the other is there. No Pulumi import."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stacks.parts.pools.nodes import Amounts
from stacks.parts.queues.plan import PlannedQueues, Quota
from stacks.parts.queues.ray_rules import asked_at_once
from stacks.parts.queues.unqueued import asked_by
from stacks.parts.queues.workload_rules import beyond
from stacks.parts.servers.queue_order import own_priority, priority_of
from stacks.plan import Plan


@dataclass(frozen=True, kw_only=True)
class _Workload:
    """What has quota of a cluster queue: `asked` by pool, at once. A job runs on one of them."""

    field: str
    queue: str
    priority: int
    asked: Mapping[str, Quota]


def advice(plan: Plan) -> Iterator[str]:
    queues = plan.queues
    if queues is None or not queues.sound or plan.autopilot:
        return
    standing = [*_servers(plan, queues), *_clusters(plan, queues)]
    for job in _jobs(plan, queues):
        shared = queues.config.cluster_queues.get(job.queue)
        # What a cohort lends is not known to be too little.
        if shared is None or shared.cohort is not None:
            continue
        beside = [it for it in standing if it.queue == job.queue and not _stops(queues, job, it)]
        short = {pool: _short(queues, job, beside, pool) for pool in job.asked}
        if all(short.values()):
            names = ", ".join(it.field for it in beside if it.asked.keys() & short.keys())
            what = "; ".join(f"{it} of {pool}" for pool, it in short.items())
            yield (
                f"{job.field}.queue: beside {names} it never has quota of {job.queue}, which would "
                f"have to be {what}. As long as they are there, it waits; nearest: a larger quota, "
                "another queue, or a priority by which it may stop them"
            )


def _short(queues: PlannedQueues, job: _Workload, beside: list[_Workload], pool: str) -> str:
    """What is too little for all of them. Rules refuse a job for which it is too little alone."""
    quota = queues.quotas_on(pool)[job.queue]
    together = Counter(job.asked[pool])
    for it in beside:
        together.update(it.asked.get(pool, {}))
    return beyond(quota, together)


def _stops(queues: PlannedQueues, job: _Workload, other: _Workload) -> bool:
    """Whether the job may preempt the other for its quota (kubernetes-sigs/kueue v0.19.2
    apis/kueue/v1beta2/clusterqueue_types.go, WithinClusterQueue). Which of two with the same
    priority is the newer one is not known here, and may be the other."""
    policy = queues.config.cluster_queues[job.queue].preemption.within_queue
    if policy == "LowerOrNewerEqualPriority" and job.priority == other.priority:
        return True
    return policy != "Never" and job.priority > other.priority


def _servers(plan: Plan, queues: PlannedQueues) -> Iterator[_Workload]:
    for it in plan.servers.values():
        if it.config.queue is not None:
            yield _Workload(
                field=it.field,
                queue=queues.cluster_queue(it.config.queue) or "",
                priority=own_priority(plan, it),
                asked={it.pool.name: asked_by(it.pod, it.config.least)},
            )


def _clusters(plan: Plan, queues: PlannedQueues) -> Iterator[_Workload]:
    """Those that scale are left out: their workers come one by one."""
    for it in plan.ray.values():
        if it.config.queue is not None and it.config.autoscaling is None:
            yield _Workload(
                field=it.field,
                queue=queues.cluster_queue(it.config.queue) or "",
                priority=priority_of(queues.config, None, None),
                asked=asked_at_once(it),
            )


def _jobs(plan: Plan, queues: PlannedQueues) -> Iterator[_Workload]:
    kueue = queues.config
    for it in plan.fine_tunings.values():
        yield _Workload(
            field=it.field,
            queue=queues.cluster_queue(it.queue) or "",
            priority=priority_of(kueue, it.config.workload_priority, it.config.priority),
            asked={
                it.pool.name: asked_by(Amounts.of_pod(it.requests, it.config.gpus), it.config.pods)
            },
        )
    for it in plan.scripts.values():
        if it.config.queue is not None and it.pools:
            yield _Workload(
                field=it.field,
                queue=queues.cluster_queue(it.config.queue) or "",
                priority=priority_of(kueue, it.config.workload_priority, it.config.priority),
                asked={pool.name: asked_by(it.counted, it.config.nodes) for pool in it.pools},
            )
