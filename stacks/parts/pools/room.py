"""What stands on the nodes of one pool together has room there. No Pulumi import.

Plain sums, and for GPUs how pods that stay may be spread: the scheduler puts each where most is
free, not where it leaves a whole node to another.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from math import ceil

from components.servers.engine import InferenceEngine
from stacks.installed_twice import used
from stacks.parts.pools.nodes import Amounts
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.ray.plan import PlannedRay
from stacks.plan import Plan
from stacks.problems import Problem

# What a message calls each amount, and how many of it are one there.
_SHOWN = {
    "gpus": ("GPUs", 1),
    "chips": ("TPU chips", 1),
    "cpu_millicores": ("CPUs", 1000),
    "memory_mib": ("GiB of memory", 1024),
    "ephemeral_storage_mib": ("GiB of disk", 1024),
}


@dataclass(frozen=True, kw_only=True)
class Resident:
    """`pods` alike that have to be there at once, for ever or, where they are `queued`, at times
    of their own. Where it `fits_alone`, that is known."""

    field: str
    pod: Amounts
    pods: int
    queued: bool = False
    fits_alone: bool = False


def room_problems(plan: Plan) -> Iterator[Problem]:
    """Autopilot makes nodes for all."""
    if plan.autopilot:
        return
    for pool in plan.pools.values():
        node = Amounts.of_node(pool.host)
        # Of a pod that no node holds it is said elsewhere.
        here = [it for it in _residents(plan, pool) if node.holds(it.pod)]
        always = [it for it in here if not it.queued]
        for place, one in enumerate(always):
            yield from _problem(pool, node, always[:place], one)
        for one in here:
            if one.queued:
                yield from _problem(pool, node, always, one)
        for one in always:
            yield from _spread_problem(pool, node, [it for it in always if it is not one], one)
        for one in here:
            yield from _order_problem(plan, pool, [], one)


def _problem(
    pool: PlannedPool, node: Amounts, others: list[Resident], one: Resident
) -> Iterator[Problem]:
    if one.fits_alone and not others:
        return
    for amount, (unit, size) in _SHOWN.items():
        has = pool.bounds.max * getattr(node, amount)
        before = sum(it.pods * getattr(it.pod, amount) for it in others)
        own = one.pods * getattr(one.pod, amount)
        if before <= has < before + own:
            beside = f" beside {', '.join(it.field for it in others)}" if others else ""
            near = "a pool of its own" if others else "more nodes"
            yield Problem(
                one.field,
                f"{own / size:g} {unit}{beside} are more than {pool.bounds.max} nodes of "
                f"{pool.name} have left, {(has - before) / size:g}; nearest: {near}",
            )
            return


def _spread_problem(
    pool: PlannedPool, node: Amounts, others: list[Resident], one: Resident
) -> Iterator[Problem]:
    """Of pods that fit by their sums: the others alone can take enough of each node."""
    if not one.pod.gpus or sum(it.pods * it.pod.gpus for it in (*others, one)) > (
        pool.bounds.max * node.gpus
    ):
        return
    to_block = node.gpus - one.pod.gpus + 1
    blocked = sum(
        it.pods // ceil(to_block / it.pod.gpus) for it in others if 0 < it.pod.gpus < one.pod.gpus
    )
    if blocked and pool.bounds.max - blocked < ceil(one.pods / (node.gpus // one.pod.gpus)):
        yield Problem(
            one.field,
            f"{one.pod.gpus} GPUs together may be free on no node of {pool.name}, for "
            f"{', '.join(it.field for it in others if it.pod.gpus)} can be spread over {blocked} "
            f"of its {pool.bounds.max}; nearest: a pool of its own",
        )


def _controllers(plan: Plan) -> dict[str, Amounts]:
    """Pods of the operators that the stack brings into a cluster of its own."""
    if plan.stack.cluster.existing is not None or plan.stack.cluster.stack is not None:
        return {}
    charts = {it: plan.facts.component(it).chart for it in sorted(used(plan))}
    return {
        name: Amounts(chart.controller.cpu_millicores, chart.controller.memory_mib)
        for name, chart in charts.items()
        if chart and chart.controller
    }


def passing_problems(plan: Plan, pool: PlannedPool, one: Resident) -> Iterator[Problem]:
    """Of work that ends: whether it ever finds room beside all that stays on the pool's nodes."""
    node = Amounts.of_node(pool.host)
    stays = [it for it in _residents(plan, pool) if not it.queued and node.holds(it.pod)]
    yield from _order_problem(plan, pool, stays, one)


def _order_problem(
    plan: Plan, pool: PlannedPool, stays: list[Resident], one: Resident
) -> Iterator[Problem]:
    """Of pods that fit the nodes: what is there first stands where most was free, and may have left
    no node whole."""
    node, most = Amounts.of_node(pool.host), pool.bounds.max
    homes = [it.name for it in plan.pools.values() if it.under_single_pods]
    controllers = _controllers(plan) if homes == [pool.name] else {}
    guests = [*controllers.values(), *(it.pod for it in stays for _ in range(it.pods))]
    if not guests or not 0 < one.pods <= most * node.holds(one.pod):
        return

    scales = pool.config.autoscaling is not None

    def has_room(nodes: int) -> bool:
        first = max(pool.bounds.min, pool.nodes) if scales else nodes
        return _held(node, min(first, nodes), nodes, guests, one.pod) >= one.pods

    if not has_room(most):
        nearest = next(it for it in count(most + 1) if has_room(it))
        there = [it.field for it in stays]
        if controllers:
            there.append(f"the pods of {', '.join(controllers)}")
        yield Problem(
            f"{pool.field}.{'autoscaling.max' if scales else 'nodes'}",
            f"{most} may have no room for {one.field} beside what is there first, "
            f"{' and '.join(there)}; nearest: {nearest}",
        )


def _held(node: Amounts, least: int, most: int, guests: Iterable[Amounts], pod: Amounts) -> int:
    """How many of `pod` fit beside the guests, a large one first, for which nodes come up to `most`
    where none has room. The scheduler takes the node with the largest share free
    (kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/least_allocated.go,
    v1.35.4)."""
    rooms = [node] * least
    for guest in sorted(guests, key=lambda it: -_share(it, node)):
        free = [at for at, room in enumerate(rooms) if room.holds(guest)]
        if free:
            rooms[max(free, key=lambda at: _share(rooms[at], node))] -= guest
        elif len(rooms) < most:
            rooms.append(node - guest)
    return sum(it.holds(pod) for it in rooms) + (most - len(rooms)) * node.holds(pod)


def _share(amounts: Amounts, node: Amounts) -> float:
    return amounts.cpu_millicores / node.cpu_millicores + amounts.memory_mib / node.memory_mib


def resident_fields(plan: Plan, pool: PlannedPool) -> Iterator[str]:
    """Config fields of the workloads that have pods on nodes of the pool."""
    yield from (it.field for it in _residents(plan, pool))
    for script in plan.scripts.values():
        if any(it.name == pool.name for it in script.pools):
            yield script.field


def _residents(plan: Plan, pool: PlannedPool) -> Iterator[Resident]:
    for ray in plan.ray.values():
        yield from _of_ray(ray, pool)
    for server in plan.servers.values():
        if server.pool.name == pool.name:
            config = server.config
            yield Resident(
                field=server.field,
                pod=Amounts.of_pod(config.requests, config.gpus),
                pods=config.least,
                queued=config.queue is not None,
                fits_alone=config.engine is InferenceEngine.TGI,
            )
    for tuning in plan.fine_tunings.values():
        if tuning.pool.name == pool.name:
            yield Resident(
                field=tuning.field,
                pod=Amounts.of_pod(tuning.requests, tuning.config.gpus, tuning.sidecar),
                pods=tuning.config.pods,
                queued=True,
                fits_alone=True,
            )


def _of_ray(ray: PlannedRay, pool: PlannedPool) -> Iterator[Resident]:
    """Of a cluster that scales, the workers that it has without a job or its job waits for."""
    queued = ray.config.queue is not None
    if ray.head_pool is not None and ray.head_pool.name == pool.name:
        pod = Amounts.of_pod(ray.config.head.requests, 0, ray.sidecar(head=True))
        pod += ray.helpers(head=True)
        yield Resident(field=f"{ray.field}.head", pod=pod, pods=1, queued=queued)
    for group in ray.groups.values():
        if pool.kind == "tpu" or pool.name not in {it.name for it in group.pools}:
            continue
        scales = ray.config.autoscaling is not None and not ray.jobs
        alone = len(group.pools) == 1
        least = group.config.min_workers if alone else 0
        yield Resident(
            field=group.field,
            pod=Amounts.of_pod(group.config.requests, group.gpus, ray.sidecar(head=False))
            + ray.helpers(head=False),
            pods=least if scales else pool.nodes,
            queued=queued,
        )
