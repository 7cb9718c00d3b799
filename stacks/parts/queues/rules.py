"""Queues that nodes can fill: no quota without the machines for it, no name that leads nowhere. No
Pulumi import."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from components.base.pod_manifest import TPU
from components.queues.manifest import check_framework
from stacks.config_errors import nearest
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.queues.config import Fungibility, StackQueues
from stacks.parts.queues.flavor_rules import (
    check_problems,
    pool_problems,
    taint_problems,
    topology_problems,
)
from stacks.parts.queues.plan import (
    RESOURCES,
    PlannedQueues,
    Quota,
    left_of,
    quotas,
    stated,
    unit_of,
)
from stacks.parts.queues.ray_rules import ray_rules
from stacks.parts.queues.unqueued import NOTHING, Unqueued
from stacks.plan import Plan
from stacks.problems import Problem, problem_of

# kubernetes/kubernetes pkg/apis/scheduling/validation, v1.35.4.
_SYSTEM_CLASSES = "system-"


def queue_rules(plan: Plan) -> Iterator[Problem]:
    """Of the queues themselves."""
    queues = plan.queues
    if queues is None:
        return
    kueue, facts = queues.config, plan.facts
    others = [it for it in plan.pools if it != queues.default_pool]
    broken = [*pool_problems(kueue, [*others, queues.default_pool]), *_flavor_problems(kueue)]
    yield from broken
    yield from _door_problems(plan, kueue)
    yield from taint_problems(queues)
    yield from _readiness_problems(queues)
    yield from problem_of("queues.version", lambda: facts.release("kueue", kueue.version))
    for place, framework in enumerate(kueue.frameworks):
        yield from problem_of(f"queues.frameworks[{place}]", partial(check_framework, framework))
    yield from _namespace_problems(kueue, queues.namespaces)
    yield from _cohort_problems(kueue)
    yield from _preemption_problems(kueue)
    yield from _local_queue_problems(kueue, queues.namespaces)
    yield from _priority_problems(kueue)
    if not broken:
        yield from order_problems(kueue)
        yield from quota_problems(kueue, queues.flavors, queues.unqueued)
    if queues.sound:
        yield from check_problems(kueue, queues.flavors)
        yield from topology_problems(kueue, queues.flavors)


def quota_problems(
    kueue: StackQueues,
    pools: Mapping[str, PlannedPool],
    unqueued: Mapping[str, Unqueued] | None = None,
) -> Iterator[Problem]:
    """What queues have of a flavor is there; `pools` are all flavors'."""
    unqueued = unqueued or {}
    found = quotas(kueue, pools, unqueued)
    for flavor, pool in pools.items():
        capacity = left_of(pool, unqueued)
        always = unqueued.get(pool.name, NOTHING).fields
        for part, it in RESOURCES.items():
            own = {queue: has[flavor][it.name] for queue, has in found.items() if flavor in has}
            if sum(own.values()) > capacity[it.name]:
                # The largest is the one that can give most.
                queue = max(own, key=lambda it: own[it])
                others = sum(own.values()) - own[queue]
                beside = f" beside the other queues' {it.shown(others)}" if others else ""
                past = f", past which {', '.join(always)} run" if always else ""
                yield Problem(
                    f"queues.cluster_queues.{queue}.flavors.{flavor}.{part}",
                    f"{it.shown(own[queue])} {it.noun}{beside} are more than the "
                    f"{it.shown(capacity[it.name])} that {pool.name} can ever have "
                    f"({pool.bounds.max} x {pool.machine.name}{past}); "
                    f"nearest: {it.shown(max(0, capacity[it.name] - others))}",
                )
        yield from _slice_problems(kueue, flavor, pool)
    for queue, has in found.items():
        for flavor, own in has.items():
            yield from _limit_problems(kueue, queue, flavor, own, left_of(pools[flavor], unqueued))


RULES = (queue_rules, ray_rules)


def _slice_problems(kueue: StackQueues, flavor: str, pool: PlannedPool) -> Iterator[Problem]:
    """A part of a slice is of no use to anybody."""
    unit = unit_of(pool, TPU)
    for queue in kueue.cluster_queues:
        share = kueue.shares(queue).get(flavor)
        for part, amounts in (
            ("", share),
            (".borrowing", share and share.borrowing),
            (".lending", share and share.lending),
        ):
            chips = None if amounts is None else amounts.chips
            if chips is not None and chips % unit:
                yield Problem(
                    f"queues.cluster_queues.{queue}.flavors.{flavor}{part}.chips",
                    f"{chips} chips are not whole slices of {pool.name}, which have {unit} each "
                    f"on several hosts; nearest: {chips // unit * unit}",
                )


def order_problems(kueue: StackQueues) -> Iterator[Problem]:
    """An order is one of the queue's flavors, and of going on to the next something is said where
    there is a next one, and somebody to borrow of."""
    for name, queue in kueue.cluster_queues.items():
        field, shares = f"queues.cluster_queues.{name}", kueue.shares(name)
        for place, flavor in enumerate(queue.order):
            if flavor not in shares:
                yield Problem(
                    f"{field}.order[{place}]",
                    f'"{flavor}" is no flavor of {name}; nearest: {nearest(flavor, list(shares))}',
                )
            elif flavor in queue.order[:place]:
                yield Problem(
                    f"{field}.order[{place}]", f'"{flavor}" is there twice; nearest: leave it out'
                )
        said = {
            "when_can_borrow": "no cohort" if queue.cohort is None else "",
            "when_can_preempt": "",
        }
        for part, lacks in said.items():
            default = Fungibility.model_fields[part].default
            lacks = lacks or ("one flavor alone" if len(shares) == 1 else "")
            if getattr(queue.fungibility, part) != default and lacks:
                yield Problem(
                    f"{field}.fungibility.{part}",
                    f"{name} has {lacks}, so it would change nothing; nearest: {default}",
                )


def _flavor_problems(kueue: StackQueues) -> Iterator[Problem]:
    for name, queue in kueue.cluster_queues.items():
        for flavor in queue.flavors:
            if flavor not in kueue.flavors:
                yield Problem(
                    f"queues.cluster_queues.{name}.flavors.{flavor}",
                    f'"{flavor}" is no flavor; nearest: {nearest(flavor, list(kueue.flavors))}',
                    of_key=True,
                )


def _door_problems(plan: Plan, kueue: StackQueues) -> Iterator[Problem]:
    if not kueue.local_queues and all(it.config.queue is None for it in plan.teams.values()):
        first = next(iter(kueue.cluster_queues))
        yield Problem(
            "queues.local_queues",
            "none: no namespace has a queue that workloads could wait in; nearest: one with the "
            f"name lq and the cluster_queue {first}",
        )


def _readiness_problems(queues: PlannedQueues) -> Iterator[Problem]:
    """Since 0.19 Kueue stops what is not ready in time and admits it again later, whether it was
    told to or not (kubernetes-sigs/kueue PR #11855, CHANGELOG-0.19.md). Pods whose machines are
    still to come lose their place for them each time."""
    asked, needed = queues.config.ready_minutes, queues.needed_minutes
    longer = {} if asked is None else {key: it for key, it in needed.items() if asked < it}
    for field, minutes in [*longer.items()][:1]:
        yield Problem(
            "queues.ready_minutes",
            f"after {asked} minutes Kueue stops what is not ready, and by {field} it may take "
            f"{minutes}; nearest: {queues.least_minutes}",
        )


def _namespace_problems(kueue: StackQueues, namespaces: Sequence[str]) -> Iterator[Problem]:
    for place, name in enumerate(kueue.namespaces):
        if name in kueue.namespaces[:place]:
            yield Problem(
                f"queues.namespaces[{place}]", f'"{name}" is there twice; nearest: leave it out'
            )
    for queue, has in kueue.cluster_queues.items():
        for place, name in enumerate(has.namespaces):
            if name not in namespaces:
                yield Problem(
                    f"queues.cluster_queues.{queue}.namespaces[{place}]",
                    f'"{name}" is no namespace that the stack makes; '
                    f"nearest: {nearest(name, namespaces)}",
                )


def _cohort_problems(kueue: StackQueues) -> Iterator[Problem]:
    """Kueue stops every queue below a cohort that is its own ancestor."""
    for name in kueue.cohorts:
        above, at = set[str](), kueue.cohorts[name].parent
        while at is not None and at not in above and at != name:
            above.add(at)
            at = kueue.cohorts[at].parent if at in kueue.cohorts else None
        if at == name:
            yield Problem(
                f"queues.cohorts.{name}.parent",
                f'"{kueue.cohorts[name].parent}" is below {name} itself; nearest: leave it out',
            )


def _preemption_problems(kueue: StackQueues) -> Iterator[Problem]:
    """Kueue's own rule of a pair (kubernetes-sigs/kueue v0.19.2 apis/kueue/v1beta2/
    clusterqueue_types.go, XValidation of ClusterQueuePreemption)."""
    for name, queue in kueue.cluster_queues.items():
        borrows = queue.preemption.borrow_from_cohort
        if queue.reclaim_from_cohort == "Never" and borrows != "Never":
            yield Problem(
                f"queues.cluster_queues.{name}.preemption.borrow_from_cohort",
                f"{borrows} beside reclaim_from_cohort Never is a pair that Kueue refuses: who "
                "reclaims nothing stops nobody in order to borrow; nearest: Never, or "
                "reclaim_from_cohort LowerPriority",
            )


def _local_queue_problems(kueue: StackQueues, namespaces: Sequence[str]) -> Iterator[Problem]:
    seen: set[tuple[str, str]] = set()
    for place, queue in enumerate(kueue.local_queues):
        field = f"queues.local_queues[{place}]"
        namespace, behind = queue.namespace or namespaces[0], queue.cluster_queue
        if namespace not in namespaces:
            yield Problem(
                f"{field}.namespace",
                f'"{namespace}" is no namespace that the stack makes; '
                f"nearest: {nearest(namespace, namespaces)}, or one more in queues.namespaces",
            )
        if behind not in kueue.cluster_queues:
            yield Problem(
                f"{field}.cluster_queue",
                f'"{behind}" is no cluster queue of this stack; '
                f"nearest: {nearest(behind, list(kueue.cluster_queues))}",
            )
        elif namespace not in (kueue.cluster_queues[behind].namespaces or [namespace]):
            yield Problem(
                f"{field}.cluster_queue",
                f"{behind} takes nothing of the namespace {namespace}, so all would "
                f"wait for ever; nearest: {namespace} in its namespaces",
            )
        if (namespace, queue.name) in seen:
            yield Problem(
                f"{field}.name",
                f'"{queue.name}" is in the namespace {namespace} twice; nearest: {queue.name}-2',
            )
        seen.add((namespace, queue.name))


def _priority_problems(kueue: StackQueues) -> Iterator[Problem]:
    classes = {
        "priorities": [it.name for it in kueue.priorities],
        "workload_priorities": [it.name for it in kueue.workload_priorities],
    }
    for part, names in classes.items():
        for place, name in enumerate(names):
            before = names[:place].count(name)
            if before:
                yield Problem(
                    f"queues.{part}[{place}].name",
                    f'"{name}" is there twice; nearest: {name}-{before + 1}',
                )
    for place, name in enumerate(classes["priorities"]):
        if name.startswith(_SYSTEM_CLASSES):
            yield Problem(
                f"queues.priorities[{place}].name",
                f'"{name}": Kubernetes keeps names that start with {_SYSTEM_CLASSES} for its '
                f"own classes; nearest: {name.removeprefix(_SYSTEM_CLASSES) or 'low'}",
            )
    defaults = [it.name for it in kueue.priorities if it.default]
    if len(defaults) > 1:
        yield Problem(
            "queues.priorities",
            f"{', '.join(defaults)} are default, and Kubernetes takes one of them as it likes; "
            f"nearest: default for {defaults[0]} alone",
        )


def _limit_problems(
    kueue: StackQueues, name: str, flavor: str, own: Quota, capacity: Quota
) -> Iterator[Problem]:
    share, alone = kueue.shares(name)[flavor], kueue.cluster_queues[name].cohort is None
    borrowing, lending = stated(share.borrowing), stated(share.lending)
    for part, it in RESOURCES.items():
        has = own[it.name]
        # Above its nodes' the quota itself is refused.
        rest = max(0, capacity[it.name] - has)
        for limit, amount, most, whose in (
            ("borrowing", borrowing.get(it.name), rest, "others can have of these nodes"),
            ("lending", lending.get(it.name), has, "are its own"),
        ):
            if amount is None:
                continue
            field = f"queues.cluster_queues.{name}.flavors.{flavor}.{limit}.{part}"
            if alone:
                yield Problem(
                    field,
                    f"{it.shown(amount)}: a queue without a cohort has nobody to share with; "
                    f"nearest: leave it out, or queues.cluster_queues.{name}.cohort",
                )
            elif amount > most:
                yield Problem(
                    field,
                    f"{it.shown(amount)} {it.noun} are more than the {it.shown(most)} that "
                    f"{whose}; nearest: {it.shown(most)}",
                )
