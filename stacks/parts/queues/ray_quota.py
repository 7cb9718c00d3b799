"""What a RayCluster needs of its queue, held against what the queue ever has. No Pulumi import."""

from collections import defaultdict
from collections.abc import Iterator

from stacks.parts.jobs.script.config import Script
from stacks.parts.queues.admission_rules import asked_together, cluster_queue_of, together_problems
from stacks.parts.queues.quotas import Quota
from stacks.parts.ray.plan import PlannedRay, PlannedWorkers
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.rules.packing import Amounts

_HEAD = "head"


def quota_problems(plan: Plan, ray: PlannedRay) -> Iterator[Problem]:
    """Kueue admits the head and the workers as one, by what their templates ask for, in which what
    KubeRay and GKE put beside a container is not (kubernetes-sigs/kueue v0.19.2
    pkg/controller/jobs/raycluster/common.go, BuildPodSets). Of a queue that does not give out all
    of their pools, and of a group on several, other rules say so."""
    kueue, queues, queue = plan.stack.queues, plan.queues, ray.config.queue
    if kueue is None or queues is None or queue is None or not queues.sound:
        return
    if any(len(it.pools) > 1 for it in ray.groups.values()):
        return
    name = cluster_queue_of(kueue, queue, plan.stack.namespace)
    pods = _pods(ray)
    has = {pool: _quota(queues.quotas_on(pool).get(name, {})) for pool in pods}
    wanted = {
        pool: (quota, asked_together(pods[pool], _each(ray)))
        for pool, quota in has.items()
        if quota is not None
    }
    if len(wanted) == len(pods):
        yield from together_problems(kueue, name, ray.field, _counted(ray), wanted)


def _pods(ray: PlannedRay) -> dict[str, dict[str, int]]:
    """By pool, and within it by kind, the pods that there have to be."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    if ray.head_pool is not None:
        found[ray.head_pool.name][_HEAD] = 1
    for name, group in ray.groups.items():
        found[group.first.name][f"{name} workers"] = _least(ray, group) * group.hosts
    return found


def _least(ray: PlannedRay, group: PlannedWorkers) -> int:
    """A training is cut to all workers. Without one a cluster that scales is of use with fewer, and
    never of any without one."""
    trains = any(not isinstance(it, Script) for it in ray.jobs)
    if ray.config.autoscaling is None or trains:
        return group.count
    return max(1, group.config.min_workers)


def _each(ray: PlannedRay) -> dict[str, Amounts]:
    workers = {
        f"{name} workers": Amounts.of_pod(it.config.requests, it.gpus)
        for name, it in ray.groups.items()
    }
    return {_HEAD: Amounts.of_pod(ray.config.head.requests, 0), **workers}


def _quota(flavors: dict[str, Quota]) -> Quota | None:
    """That of the pool's one flavor."""
    return next(iter(flavors.values()), None)


def _counted(ray: PlannedRay) -> str:
    workers = sum(_least(ray, it) * it.hosts for it in ray.groups.values())
    return f"the head and {workers} worker{'' if workers == 1 else 's'}"
