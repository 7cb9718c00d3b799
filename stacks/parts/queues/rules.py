"""Queues that nodes can fill, and that what is in them can be admitted from. No Pulumi import."""

from collections.abc import Iterator, Sequence

from stacks.parts.queues.config import StackQueues
from stacks.parts.queues.node_rules import check_problems, topology_problems
from stacks.parts.queues.plan import PlannedQueues
from stacks.parts.queues.queue_rules import (
    framework_problems,
    kueue_problems,
    pool_problems,
    queue_problems,
)
from stacks.parts.queues.ray_quota import quota_problems
from stacks.parts.queues.ray_rules import (
    asked_twice_problems,
    elastic_problems,
    head_problems,
    placed_problems,
    pools_given_out,
)
from stacks.parts.queues.readiness_rules import readiness_problems
from stacks.parts.ray.plan import PlannedRay
from stacks.plan import Plan
from stacks.problems import Problem

# And of tolerations (kubernetes-sigs/kueue apis/kueue/v1beta2/resourceflavor_types.go, 2fff9dfc).
_MOST_TAINTS = 8
# kubernetes-sigs/kueue v0.19.2 pkg/controller/jobs/raycluster/common.go, ValidateCreate.
_HEAD = "head"


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
        *_taint_problems(queues),
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
    yield from found


def ray_rules(plan: Plan) -> Iterator[Problem]:
    """Of RayClusters that wait."""
    kueue = plan.stack.queues
    queues = plan.queues
    for ray in plan.ray.values():
        queue = ray.config.queue
        if queue is None:
            continue
        namespace = plan.stack.namespace
        door = queue_problems(kueue, f"{ray.field}.queue", queue, namespace)
        yield from door
        yield from framework_problems(kueue, ray.field, "ray.io/raycluster")
        yield from _tpu_problems(ray)
        if kueue is None or queues is None:
            continue
        if plan.autopilot:
            yield from _autopilot_problems(ray.field)
        elif not door:
            yield from quota_problems(plan, ray)
        if _HEAD in ray.groups:
            yield Problem(
                f"{ray.field}.workers.{_HEAD}",
                f"{_HEAD}: Kueue has the head's pods by this name; nearest: another name",
            )
        for group in ray.groups.values():
            pools = [it.name for it in group.pools]
            yield from given_out_problems(plan, f"{ray.field}.queue", queue, pools)
        nodes = queues.flavor_nodes
        head = ray.head_pool
        if head is not None and queues.sound:
            pools = pools_given_out(kueue, nodes, queue, namespace)
            yield from head_problems(ray.field, queue, pools, head.name)
        if ray.config.autoscaling is not None:
            yield from _scaling_problems(plan, ray.field, queue, kueue)
        queued = any(it.queued for it in ray.groups.values())
        yield from asked_twice_problems(ray.field, kueue, queued=queued)


def given_out_problems(
    plan: Plan, field: str, queue: str | None, pools: Sequence[str]
) -> Iterator[Problem]:
    """What runs on `pools` alone is admitted from a queue that gives them out; of several pools
    Kueue takes one, and any other that its pods do not refuse.

    Kueue holds pods' node selectors against the labels that its flavors have, which here are the
    pools' names (kubernetes-sigs/kueue v0.19.2 pkg/scheduler/flavorassigner/flavorassigner.go,
    flavorSelector).
    """
    kueue, queues = plan.stack.queues, plan.queues
    if kueue is None or queues is None or queue is None or not queues.sound:
        return
    given = pools_given_out(kueue, queues.flavor_nodes, queue, plan.stack.namespace)
    missing = [it for it in pools if it not in given]
    if given and missing:
        yield Problem(
            field,
            f'"{queue}" gives out {", ".join(given)}, and this runs on {", ".join(missing)}, so it '
            f"would wait for ever; nearest: one more of queues.flavors, with pool {missing[0]}",
        )
    elif given and len(pools) > 1:
        yield Problem(
            field,
            f"Kueue gives workers of one group one pool, and these run on {len(pools)}; "
            "nearest: leave it out, or a group for each pool",
        )


RULES = (queue_rules, ray_rules)


def _taint_problems(queues: PlannedQueues) -> Iterator[Problem]:
    for name in queues.flavor_nodes:
        pool = queues.pool_of(name)
        placed = queues.config.flavors[name].topology is not None
        # The builder adds GKE's own of queued pools, and where Kueue places pods that of GPUs.
        most = _MOST_TAINTS - pool.queued - (placed and pool.kind == "gpu")
        if len(pool.taints) > most:
            yield Problem(
                f"{pool.field}.taints",
                f"{len(pool.taints)} are more than a flavor of Kueue's can name; "
                f"nearest: {most} of them",
            )


def _door_problems(plan: Plan, kueue: StackQueues) -> Iterator[Problem]:
    if not kueue.local_queues and all(it.config.queue is None for it in plan.teams.values()):
        first = next(iter(kueue.cluster_queues))
        yield Problem(
            "queues.local_queues",
            "none: no namespace has a queue that workloads could wait in; nearest: one with the "
            f"name lq and the cluster_queue {first}",
        )


def _autopilot_problems(field: str) -> Iterator[Problem]:
    """Of an Autopilot cluster the flavors are those of machines with accelerators alone."""
    yield Problem(
        f"{field}.queue",
        "Kueue would give the head nodes of a pool with accelerators, which it does not ask "
        "Autopilot for, so it would wait for ever; nearest: leave it out",
    )


def _tpu_problems(ray: PlannedRay) -> Iterator[Problem]:
    """Quotas here are of CPUs, memory, GPUs and disk, so Kueue would refuse what asks for chips."""
    if any(it.first.kind == "tpu" for it in ray.groups.values()):
        yield Problem(
            f"{ray.field}.queue", "quotas of this stack have no TPU chips; nearest: leave it out"
        )


def _scaling_problems(plan: Plan, field: str, queue: str, kueue: StackQueues) -> Iterator[Problem]:
    newest = plan.facts.release("kueue")
    yield from elastic_problems(field, queue, kueue.version or newest, newest)
    yield from placed_problems(field, kueue)
