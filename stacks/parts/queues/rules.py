"""Queues that nodes can fill, and that what is in them can be admitted from. No Pulumi import."""

from collections.abc import Iterator

from stacks.blocks.kueue import Kueue
from stacks.fields import under
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.rules.queue_nodes import check_problems, topology_problems
from stacks.rules.queued_ray import (
    asked_twice_problems,
    elastic_problems,
    head_problems,
    placed_problems,
)
from stacks.rules.queues import (
    framework_problems,
    kueue_problems,
    pool_problems,
    queue_problems,
)
from stacks.rules.readiness import readiness_problems

NAMES = {"kueue": "queues"}


def queue_rules(plan: Plan) -> Iterator[Problem]:
    """Of the queues themselves."""
    queues = plan.queues
    if queues is None:
        return
    kueue = queues.config
    others = [it for it in plan.pools if it != queues.default_pool]
    broken = tuple(pool_problems(kueue, [*others, queues.default_pool]))
    found = [
        *broken,
        *_door_problems(plan, kueue),
        *readiness_problems(kueue.ready_minutes, queues.needed_minutes),
        *kueue_problems(
            plan.facts,
            kueue,
            nodes={} if broken else queues.flavor_nodes,
            namespaces=queues.namespaces,
        ),
    ]
    if queues.sound:
        pools = queues.flavor_pools
        machines = {it: plan.facts.machine(pool.machine_type) for it, pool in pools.items()}
        found += [*check_problems(kueue, pools), *topology_problems(kueue, pools, machines)]
    yield from under(NAMES, found)


def ray_rules(plan: Plan) -> Iterator[Problem]:
    """Of RayClusters that wait."""
    kueue = plan.stack.queues
    queues = plan.queues
    for ray in plan.ray.values():
        queue, names = ray.config.queue, {**NAMES, "ray": ray.field}
        if queue is None:
            continue
        namespace = plan.stack.namespace
        door = queue_problems(kueue, f"{ray.field}.queue", queue, namespace)
        yield from under(NAMES, door)
        yield from under(NAMES, framework_problems(kueue, ray.field, "ray.io/raycluster"))
        if any(it.first.kind == "tpu" for it in ray.groups.values()):
            yield from _tpu_problems(ray.field)
        if kueue is None or queues is None:
            continue
        nodes = queues.flavor_nodes
        head = ray.head_pool
        if head is not None and queues.sound:
            found = head_problems(kueue, nodes, queue, namespace, head=head.name)
            yield from under(names, found)
        first = next(iter(ray.as_rays().values()))
        newest = plan.facts.release("kueue")
        yield from under(names, elastic_problems(first, kueue.version or newest, newest))
        yield from under(names, placed_problems(kueue, first))
        queued = any(it.queued for it in ray.groups.values())
        yield from under(names, asked_twice_problems(kueue, queued=queued))


RULES = (queue_rules, ray_rules)


def _door_problems(plan: Plan, kueue: Kueue) -> Iterator[Problem]:
    if not kueue.local_queues and all(it.config.queue is None for it in plan.teams.values()):
        first = next(iter(kueue.cluster_queues))
        yield Problem(
            "kueue.local_queues",
            "none: no namespace has a queue that workloads could wait in; nearest: one with the "
            f"name lq and the cluster_queue {first}",
        )


def _tpu_problems(field: str) -> Iterator[Problem]:
    """Quotas here are of CPUs, memory, GPUs and disk, so Kueue would refuse what asks for chips."""
    yield Problem(f"{field}.queue", "quotas of this stack have no TPU chips; nearest: leave it out")
