"""Scripts wait for nothing that never comes: for no quota, and not for each other. No Pulumi."""

from collections.abc import Iterator
from typing import NamedTuple

from stacks.parts.jobs.script.plan import FRAMEWORK, PlannedScript
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.queues.workload_rules import (
    Queued,
    admission_problems,
    framework_problems,
    priority_problems,
    queue_problems,
    workload_priority_problems,
)
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.rules.packing import Amounts
from stacks.rules.sharing import on_request_problems


class Guest(NamedTuple):
    """Pods that stay on nodes of a pool, at most so many, and whether a queue lets them start."""

    field: str
    pod: Amounts
    pods: int
    queued: bool


def queue_rules(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    kueue, field, config = plan.stack.queues, script.field, script.config
    found = [
        *queue_problems(kueue, f"{field}.queue", config.queue, plan.stack.namespace),
        *priority_problems(kueue, f"{field}.priority", config.priority),
        *workload_priority_problems(
            kueue, f"{field}.workload_priority", config.workload_priority, config.queue
        ),
    ]
    if config.queue is not None:
        found += framework_problems(kueue, field, FRAMEWORK)
    if not found:
        found += _admission_problems(plan, script)
    yield from found
    pool = script.pool
    if pool is not None and not plan.autopilot:
        queues = None if config.queue is None else plan.queues
        checked = queues is not None and queues.asks_for(pool.name)
        yield from on_request_problems(pool.field, pool.config.capacity, checked=checked)


def room_rules(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    """What stays on nodes of the pool leaves enough of them room, wherever it is."""
    pool = script.pool
    if pool is None:
        return
    node, nodes = Amounts.of_node(script.host), pool.bounds.max
    for guest in _guests(plan, pool):
        # A queue has the more important of them start first.
        if guest.queued and script.config.queue is not None:
            continue
        free = nodes - _closed(node, guest, script.on_node)
        if node.holds(script.on_node) and free < min(script.config.nodes, nodes):
            fewer = f"{free}, or " if free > 0 else ""
            yield Problem(
                f"{script.field}.nodes",
                f"{script.config.nodes} of {pool.name} may never have room beside {guest.field}; "
                f"nearest: {fewer}a pool of its own",
            )


def turn_rules(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    """Of two jobs without a queue each may have some of the nodes that the other waits for."""
    pool, nodes = script.pool, script.config.nodes
    if pool is None or script.config.queue is not None or nodes == 1:
        return
    node = Amounts.of_node(script.host)
    for other in plan.scripts.values():
        if other.name == script.name:
            return
        both = other.config.nodes + nodes
        apart = (node - other.on_node).holds(script.on_node) == 0
        alike = other.pool == pool and other.config.queue is None and other.config.nodes > 1
        if alike and apart and both > pool.bounds.max:
            yield Problem(
                f"{script.field}.queue",
                f"missing, and {other.field} is on {pool.name}, too, which has {pool.bounds.max} "
                f"nodes for the {both} of both: each may have some that the other waits for; "
                "nearest: a queue for both",
            )


def _admission_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    kueue, queues, queue = plan.stack.queues, plan.queues, script.config.queue
    if kueue is None or queues is None or queue is None:
        return
    wanted = Queued(
        field=script.field,
        queue=queue,
        where=plan.stack.namespace,
        pod=script.counted,
        pods=script.config.nodes,
    )
    name = wanted.cluster_queue(kueue)
    if name not in kueue.cluster_queues:
        # That is said of the queue.
        return
    where = None if script.pool is None else script.pool.name
    quotas = {} if where is None else queues.quotas_on(where)
    if not quotas.get(name):
        near = "leave it out" if where is None else f"one of {where} in queues.flavors"
        missing = "those that Autopilot makes for single pods" if where is None else where
        yield Problem(
            f"{script.field}.queue",
            f"{name} has no flavor of {missing}, where the job runs; nearest: {near}",
        )
        return
    yield from admission_problems(kueue, quotas, wanted)


def _guests(plan: Plan, pool: PlannedPool) -> Iterator[Guest]:
    for ray in plan.ray.values():
        queued = ray.config.queue is not None
        if ray.head_pool == pool:
            head = Amounts.of_pod(ray.config.head.requests, 0, ray.sidecar(head=True))
            yield Guest(f"{ray.field}.head", head, 1, queued)
        for group in ray.groups.values():
            # Where the cluster scales, workers come as there is room, and go.
            if pool in group.pools and ray.config.autoscaling is None:
                sidecar = ray.sidecar(head=False)
                worker = Amounts.of_pod(group.config.requests, group.gpus, sidecar)
                yield Guest(group.field, worker, pool.nodes, queued)
    for server in plan.servers.values():
        if server.pool == pool:
            config = server.config
            pod = Amounts.of_pod(config.requests, config.gpus)
            yield Guest(server.field, pod, config.most, config.queue is not None)


def _closed(node: Amounts, guest: Guest, pod: Amounts) -> int:
    """How many nodes the guests can leave without room for the pod, at worst."""
    rest, on_one = node, 0
    while rest.holds(pod):
        rest -= guest.pod
        on_one += 1
        if node.holds(guest.pod) < on_one:
            return 0
    return guest.pods // on_one if on_one else 0


RULES = (queue_rules, room_rules, turn_rules)
