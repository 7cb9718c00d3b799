"""A RayCluster that waits in a queue: Kueue admits its head and its workers together, or where it
scales each worker as it comes. No Pulumi import."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from stacks.parts.jobs.script import Script
from stacks.parts.pools.nodes import Amounts
from stacks.parts.pools.pod_rules import on_request_problems
from stacks.parts.queues.plan import PlannedQueues
from stacks.parts.queues.unqueued import asked_of
from stacks.parts.queues.workload_rules import (
    beyond,
    framework_problems,
    given_out_problems,
    queue_problems,
)
from stacks.parts.ray.plan import PlannedRay, PlannedWorkers
from stacks.plan import Plan
from stacks.problems import Problem

# kubernetes-sigs/kueue v0.19.2 pkg/controller/jobs/raycluster/common.go, ValidateCreate.
_HEAD = "head"
# From this release on the feature gate ElasticJobsViaWorkloadSlices is on (kubernetes-sigs/kueue
# pkg/features/kube_features.go, v0.19.2).
_ELASTIC_FROM = (0, 18)


def ray_rules(plan: Plan) -> Iterator[Problem]:
    for ray in plan.ray.values():
        if ray.config.queue is not None:
            yield from _waiting_problems(plan, ray, ray.config.queue)


def _waiting_problems(plan: Plan, ray: PlannedRay, queue: str) -> Iterator[Problem]:
    field, queues = f"{ray.field}.queue", plan.queues
    yield from queue_problems(plan.stack.queues, field, queue, plan.stack.namespace)
    yield from framework_problems(plan.stack.queues, ray.field, "ray.io/raycluster")
    if queues is None:
        return
    if plan.autopilot:
        # The flavors are those of machines with accelerators alone.
        yield Problem(
            field,
            "Kueue would give the head nodes of a pool with accelerators, which it does not ask "
            "Autopilot for, so it would wait for ever; nearest: leave it out",
        )
    elif queues.sound:
        yield from _quota_problems(queues, ray, queue)
    if _HEAD in ray.groups:
        yield Problem(
            f"{ray.field}.workers.{_HEAD}",
            f"{_HEAD}: Kueue has the head's pods by this name; nearest: another name",
        )
    for group in ray.groups.values():
        yield from given_out_problems(plan, field, queue, [it.name for it in group.pools])
        yield from _choice_problems(queues, ray, group)
    if queues.sound and ray.head_pool is not None:
        yield from _head_problems(queues, field, queue, ray.head_pool.name)
    if ray.config.autoscaling is not None:
        yield from _scaling_problems(plan, queues, ray, queue)
    if any(it.queued for it in ray.groups.values()):
        yield from _asked_twice_problems(queues, field)


def _quota_problems(queues: PlannedQueues, ray: PlannedRay, queue: str) -> Iterator[Problem]:
    """Kueue admits the head and the workers as one, by what their templates ask for, in which what
    KubeRay and GKE put beside a container is not (kubernetes-sigs/kueue v0.19.2
    pkg/controller/jobs/raycluster/common.go, BuildPodSets). Of a queue that does not give out all
    of their pools other rules say so. What a cohort lends is not known to be too little."""
    name, asked, given = queues.cluster_queue(queue), asked_at_once(ray), queues.given_out(queue)
    if name is None or not asked.keys() <= given.keys():
        return
    if queues.config.cluster_queues[name].cohort is not None:
        return
    workers = sum(_least(ray, it) * it.hosts for it in ray.groups.values())
    for pool, amounts in asked.items():
        if short := beyond(given[pool], amounts):
            yield Problem(
                f"{ray.field}.queue",
                f"the head and {workers} worker{'' if workers == 1 else 's'} are admitted "
                f"together, and would wait for ever for what {name} never has of {pool}: {short}; "
                "nearest: a larger quota",
            )


def _choice_problems(
    queues: PlannedQueues, ray: PlannedRay, group: PlannedWorkers
) -> Iterator[Problem]:
    """Of several pools Kueue takes one for all workers of a group (kubernetes-sigs/kueue v0.19.2
    pkg/scheduler/flavorassigner/flavorassigner.go), and asks by a check for machines that come by a
    request. Workers who come one by one have that of the first one."""
    if not group.chosen:
        return
    if ray.config.autoscaling is not None:
        yield Problem(
            f"{group.field}.pools",
            f"Kueue gives each worker that comes the pool of the first, and these run on "
            f"{len(group.pools)}; nearest: [{group.first.name}], or leave out "
            f"{ray.field}.autoscaling",
        )
    for pool in group.pools:
        checked = queues.sound and queues.asks_for(pool.name)
        yield from on_request_problems(pool.field, pool.config.capacity, checked=checked)


def asked_at_once(ray: PlannedRay) -> dict[str, Counter[str]]:
    """By pool what the pods ask for that there have to be at once."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    if ray.head_pool is not None:
        head = Amounts.of_pod(ray.config.head.requests, 0)
        found[ray.head_pool.name].update(asked_of(head))
    for group in ray.groups.values():
        pod = Amounts.of_pod(group.config.requests, group.gpus, chips=group.chips)
        worker = asked_of(pod)
        pods = _least(ray, group) * group.hosts
        for pool in group.pools:
            found[pool.name].update({key: it * pods for key, it in worker.items()})
    return found


def _least(ray: PlannedRay, group: PlannedWorkers) -> int:
    """A training is cut to all workers. Without one a cluster that scales is of use with fewer, and
    never of any without one."""
    trains = any(not isinstance(it, Script) for it in ray.jobs)
    if ray.config.autoscaling is None or trains:
        return group.count
    return max(1, group.config.min_workers)


def _head_problems(queues: PlannedQueues, field: str, queue: str, head: str) -> Iterator[Problem]:
    """The nodes of the head are those of a pool of their own, so its queue has to give those out,
    too."""
    given = queues.given_out(queue)
    if given and head not in given:
        yield Problem(
            field,
            f'"{queue}" gives out {", ".join(given)} alone, and Ray\'s head runs on {head}, so it '
            f"would wait for ever; nearest: one more of queues.flavors, with pool {head}",
        )


def _scaling_problems(
    plan: Plan, queues: PlannedQueues, ray: PlannedRay, queue: str
) -> Iterator[Problem]:
    """Older releases of Kueue refuse a cluster that scales, and the feature gate
    ElasticJobsViaWorkloadSlicesWithTAS is off in all releases up to 0.19."""
    leave_out = f"leave out {ray.field}.autoscaling"
    newest = plan.facts.release("kueue")
    release = queues.config.version or newest
    numbers = release.split(".")[:2]
    # What is no release at all the queues' own rule says.
    if all(map(str.isdecimal, numbers)) and tuple(map(int, numbers)) < _ELASTIC_FROM:
        yield Problem(
            "queues.version",
            f"Kueue {release} refuses a Ray cluster that scales, in the queue {queue}; "
            f"nearest: {newest}, or {leave_out}",
        )
    for name, flavor in queues.config.flavors.items():
        if flavor.topology is not None:
            yield Problem(
                f"queues.flavors.{name}.topology",
                "Kueue finds no nodes for a Ray cluster that scales; "
                f"nearest: leave it out, or {leave_out}",
            )


def _asked_twice_problems(queues: PlannedQueues, field: str) -> Iterator[Problem]:
    """Ray's workers have a request of their own for the machines of a queued pool."""
    for name, queue in queues.config.cluster_queues.items():
        if queue.admission_checks:
            yield Problem(
                f"queues.cluster_queues.{name}.admission_checks",
                "the stack asks for its Ray workers' queued machines itself, and Kueue would ask "
                f"once more; nearest: leave it out, or leave out {field}",
            )
