"""Queues that nodes can fill: no quota without the machines for it, no name that leads nowhere."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from catalog import Catalog
from components.kueue_manifest import controller_configuration
from stacks.config_errors import nearest
from stacks.parts.queues.config import ClusterQueue, StackQueues
from stacks.parts.queues.quotas import AMOUNT_NAMES, RESOURCES, FlavorNodes, quotas, shown, stated
from stacks.problems import Problem, problem_of

_SYSTEM_CLASSES = "system-"


def kueue_problems(
    facts: Catalog,
    kueue: StackQueues,
    *,
    nodes: Mapping[str, FlavorNodes],
    namespaces: Sequence[str],
) -> Iterator[Problem]:
    """`nodes` are those of the flavors whose pool there is; `namespaces` are the stack's."""
    yield from problem_of("queues.version", lambda: facts.release("kueue", kueue.version))
    yield from problem_of(
        "queues.frameworks", lambda: controller_configuration(kueue.frameworks, ())
    )
    yield from _namespace_problems(kueue, namespaces)
    yield from _cohort_problems(kueue)
    yield from _local_queue_problems(kueue, namespaces)
    yield from _priority_problems(kueue)
    broken = tuple(_flavor_name_problems(kueue))
    yield from broken
    if not broken and set(nodes) == set(kueue.flavors):
        yield from _quota_problems(kueue, nodes)


def pool_problems(kueue: StackQueues, pools: Sequence[str]) -> Iterator[Problem]:
    """Each flavor is one pool's, and no two are the same pool's."""
    taken: dict[str, str] = {}
    for name, flavor in kueue.flavors.items():
        field = f"queues.flavors.{name}.pool"
        if flavor.pool is not None and flavor.pool not in pools:
            yield Problem(
                field,
                f'"{flavor.pool}" is no pool of this stack; nearest: {nearest(flavor.pool, pools)}',
            )
            continue
        pool = flavor.pool or pools[-1]
        if pool in taken:
            used = {it.pool or pools[-1] for it in kueue.flavors.values()}
            free = [it for it in pools if it not in used]
            yield Problem(
                field,
                f"{pool} is the flavor {taken[pool]} already, and would be counted twice; "
                f"nearest: {', '.join(free) or f'leave {name} out'}",
            )
        taken.setdefault(pool, name)


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
    if kueue is None or framework in kueue.frameworks:
        return []
    return [
        Problem(
            "queues.frameworks",
            f"without {framework} {workload} would wait in its queue for ever; "
            f"nearest: {framework} beside the others",
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
    known = [it.name for it in kueue.workload_priorities] if kueue else []
    if priority is None:
        return []
    if queue is None:
        return [Problem(field, f'"{priority}" is for what waits in a queue; nearest: leave it out')]
    if priority in known:
        return []
    near = nearest(priority, known) if known else "leave it out"
    return [Problem(field, f'"{priority}" is not in queues.workload_priorities; nearest: {near}')]


def _namespace_problems(kueue: StackQueues, namespaces: Sequence[str]) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, name in enumerate(kueue.namespaces):
        if name in seen:
            yield Problem(
                f"queues.namespaces[{place}]", f'"{name}" is there twice; nearest: leave it out'
            )
        seen.add(name)
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


def _local_queue_problems(kueue: StackQueues, namespaces: Sequence[str]) -> Iterator[Problem]:
    seen: set[tuple[str, str]] = set()
    for place, queue in enumerate(kueue.local_queues):
        field = f"queues.local_queues[{place}]"
        namespace = queue.namespace or namespaces[0]
        if namespace not in namespaces:
            yield Problem(
                f"{field}.namespace",
                f'"{namespace}" is no namespace that the stack makes; '
                f"nearest: {nearest(namespace, namespaces)}, or one more in queues.namespaces",
            )
        if queue.cluster_queue not in kueue.cluster_queues:
            yield Problem(
                f"{field}.cluster_queue",
                f'"{queue.cluster_queue}" is no cluster queue of this stack; '
                f"nearest: {nearest(queue.cluster_queue, list(kueue.cluster_queues))}",
            )
        elif not _takes(kueue, queue.cluster_queue, namespace):
            yield Problem(
                f"{field}.cluster_queue",
                f"{queue.cluster_queue} takes nothing of the namespace {namespace}, so all would "
                f"wait for ever; nearest: {namespace} in its namespaces",
            )
        if (namespace, queue.name) in seen:
            yield Problem(
                f"{field}.name",
                f'"{queue.name}" is in the namespace {namespace} twice; nearest: {queue.name}-2',
            )
        seen.add((namespace, queue.name))


def _takes(kueue: StackQueues, cluster_queue: str, namespace: str) -> bool:
    only = kueue.cluster_queues[cluster_queue].namespaces
    return not only or namespace in only


def _priority_problems(kueue: StackQueues) -> Iterator[Problem]:
    for part, classes in (
        ("priorities", kueue.priorities),
        ("workload_priorities", kueue.workload_priorities),
    ):
        seen: Counter[str] = Counter()
        for place, one in enumerate(classes):
            seen[one.name] += 1
            if seen[one.name] > 1:
                yield Problem(
                    f"queues.{part}[{place}].name",
                    f'"{one.name}" is there twice; nearest: {one.name}-{seen[one.name]}',
                )
    for place, one in enumerate(kueue.priorities):
        if one.name.startswith(_SYSTEM_CLASSES):
            yield Problem(
                f"queues.priorities[{place}].name",
                f'"{one.name}": Kubernetes keeps names that start with {_SYSTEM_CLASSES} for its '
                f"own classes; nearest: {one.name.removeprefix(_SYSTEM_CLASSES) or 'low'}",
            )
    defaults = [it.name for it in kueue.priorities if it.default]
    if len(defaults) > 1:
        yield Problem(
            "queues.priorities",
            f"{', '.join(defaults)} are default, and Kubernetes takes one of them as it likes; "
            f"nearest: default for {defaults[0]} alone",
        )


def _flavor_name_problems(kueue: StackQueues) -> Iterator[Problem]:
    for name, queue in kueue.cluster_queues.items():
        for flavor in queue.flavors:
            if flavor not in kueue.flavors:
                yield Problem(
                    f"queues.cluster_queues.{name}.flavors.{flavor}",
                    f"there is no such flavor; nearest: {nearest(flavor, list(kueue.flavors))}",
                )


def _quota_problems(kueue: StackQueues, nodes: Mapping[str, FlavorNodes]) -> Iterator[Problem]:
    found = quotas(kueue, nodes)
    for flavor, has in nodes.items():
        capacity = has.capacity
        for part, (resource, unit) in RESOURCES.items():
            own = {
                queue: shares[flavor][resource]
                for queue, shares in found.items()
                if flavor in shares
            }
            if sum(own.values()) > capacity[resource]:
                # The largest is the one that can give most.
                queue = max(own, key=lambda it: own[it])
                others = sum(own.values()) - own[queue]
                yield Problem(
                    f"queues.cluster_queues.{queue}.flavors.{flavor}.{part}",
                    f"{shown(own[queue], unit)} {AMOUNT_NAMES[part]}{_beside(others, unit)} are "
                    f"more than the {shown(capacity[resource], unit)} that {has.field} can ever "
                    f"have ({has.count} x {has.host.name}); "
                    f"nearest: {shown(max(0, capacity[resource] - others), unit)}",
                )
    for name, queue in kueue.cluster_queues.items():
        for flavor in kueue.shares(name):
            yield from _limit_problems(name, queue, kueue, flavor, found[name][flavor], nodes)


def _limit_problems(
    name: str,
    queue: ClusterQueue,
    kueue: StackQueues,
    flavor: str,
    own: Mapping[str, int],
    nodes: Mapping[str, FlavorNodes],
) -> Iterator[Problem]:
    share = kueue.shares(name)[flavor]
    limits = {"borrowing": stated(share.borrowing), "lending": stated(share.lending)}
    capacity = nodes[flavor].capacity
    for part, (resource, unit) in RESOURCES.items():
        for limit, amounts in limits.items():
            field = f"queues.cluster_queues.{name}.flavors.{flavor}.{limit}.{part}"
            amount = amounts.get(resource)
            if amount is None:
                continue
            if queue.cohort is None:
                yield Problem(
                    field,
                    f"{shown(amount, unit)}: a queue without a cohort has nobody to share with; "
                    f"nearest: leave it out, or queues.cluster_queues.{name}.cohort",
                )
                continue
            # Above its nodes' the quota itself is refused.
            rest = max(0, capacity[resource] - own[resource])
            most = own[resource] if limit == "lending" else rest
            whose = "are its own" if limit == "lending" else "others can have of these nodes"
            if amount > most:
                yield Problem(
                    field,
                    f"{shown(amount, unit)} {AMOUNT_NAMES[part]} are more than the "
                    f"{shown(most, unit)} that {whose}; nearest: {shown(most, unit)}",
                )


def _beside(others: int, unit: int) -> str:
    return f" beside the other queues' {shown(others, unit)}" if others else ""
