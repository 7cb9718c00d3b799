"""What flavors ask of their pools, and what is said of where nodes stand and how they come:
topologies and admission checks. No Pulumi import.

Sources: kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2/topology_types.go, pkg/scheduler/
flavorassigner/tas_flavorassigner.go and keps/2724-topology-aware-scheduling; which nodes have the
labels: Google Cloud documentation, "Schedule GKE workloads with Topology Aware Scheduling",
GoogleCloudPlatform/cluster-toolkit examples/gke-a3-highgpu to gke-a4, 104708037, and
GoogleCloudPlatform/container-engine-accelerators gke-topology-scheduler/README.md.
"""

from collections.abc import Iterator, Mapping, Sequence

from components.queues.topology import TOPOLOGY_LEVELS
from stacks.config_errors import nearest
from stacks.offers import yaml_text
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.queues.config import StackQueues
from stacks.parts.queues.plan import PlannedQueues
from stacks.problems import Problem, repeats

_HOSTNAME = TOPOLOGY_LEVELS[-1]
_FROM_ZERO = ("flex-start", "queued")
# And of tolerations (kubernetes-sigs/kueue apis/kueue/v1beta2/resourceflavor_types.go, 2fff9dfc).
_MOST_TAINTS = 8


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


def taint_problems(queues: PlannedQueues) -> Iterator[Problem]:
    for name, pool in queues.flavors.items():
        own = len(pool.taints)
        # What the plan adds to the pool's own.
        added = max(len(queues.taints(name)) - own, len(queues.tolerations(name)) - own)
        most = _MOST_TAINTS - added
        if own > most:
            yield Problem(
                f"{pool.field}.taints",
                f"{len(pool.taints)} are more than a flavor of Kueue's can name; "
                f"nearest: {most} of them",
            )


def check_problems(kueue: StackQueues, pools: Mapping[str, PlannedPool]) -> Iterator[Problem]:
    """`pools` are the flavors'."""
    for name, queue in kueue.cluster_queues.items():
        field = f"queues.cluster_queues.{name}.admission_checks"
        queued = any(pools[it].queued for it in kueue.shares(name))
        for place, check in enumerate(queue.admission_checks):
            if check not in kueue.admission_checks:
                known = list(kueue.admission_checks)
                near = nearest(check, known) if known else "leave it out, or add that key there"
                yield Problem(
                    f"{field}[{place}]",
                    f'"{check}" is not in queues.admission_checks; nearest: {near}',
                )
        if queue.admission_checks and not queued:
            yield Problem(
                field,
                f"{name} gives out no queued machines, which alone come by a request; "
                "nearest: leave it out, or capacity mode queued",
            )
        elif len(queue.admission_checks) > 1:
            yield Problem(
                field,
                "each of them would ask for all machines of a workload; "
                f"nearest: [{queue.admission_checks[0]}]",
            )
    used = {check for it in kueue.cluster_queues.values() for check in it.admission_checks}
    for check in kueue.admission_checks:
        if check not in used:
            yield Problem(
                f"queues.admission_checks.{check}",
                "no cluster queue has it; nearest: leave it out, or name it in one's "
                "admission_checks",
            )


def topology_problems(kueue: StackQueues, pools: Mapping[str, PlannedPool]) -> Iterator[Problem]:
    """`pools` are the flavors'."""
    for name, topology in kueue.topologies.items():
        ordered = [level for level in TOPOLOGY_LEVELS if level in topology.levels]
        field = f"queues.topologies.{name}.levels"
        repeated = list(repeats(topology.levels))
        for place, level in repeated:
            yield Problem(f"{field}[{place}]", f"{level} is there twice; nearest: leave it out")
        if ordered != list(topology.levels) and not repeated:
            yield Problem(
                field,
                "levels go from the widest to the narrowest, each of them once; nearest: "
                + yaml_text(ordered),
            )
    for name, flavor in kueue.flavors.items():
        if flavor.topology is None:
            continue
        field = f"queues.flavors.{name}.topology"
        if flavor.topology not in kueue.topologies:
            known = list(kueue.topologies)
            near = (
                nearest(flavor.topology, known) if known else "leave it out, or add that key there"
            )
            yield Problem(
                field, f'"{flavor.topology}" is not in queues.topologies; nearest: {near}'
            )
            continue
        yield from _fixed_problems(field, pools[name])
        levels = kueue.topologies[flavor.topology].levels
        yield from _label_problems(field, levels, pools[name])
    yield from _mixed_problems(kueue)


def _fixed_problems(field: str, pool: PlannedPool) -> Iterator[Problem]:
    """Kueue holds pods back until it has found their nodes, and nothing makes nodes for those; but
    for a queued pool it looks again once a request has brought its machines (kubernetes-sigs/kueue
    apis/kueue/v1beta2/workload_types.go, DelayedTopologyRequest, ff69552e of 2026-08-22)."""
    if pool.autopilot:
        yield Problem(
            field, "Autopilot makes nodes for pods that wait for none yet; nearest: leave it out"
        )
    elif pool.bounds.min < pool.bounds.max and not pool.queued:
        yield Problem(
            field,
            f"Kueue looks for room on nodes that are there, and the pool has {pool.bounds.min} to "
            f"{pool.bounds.max}; nearest: leave it out, or {_with_fixed_nodes(pool)}",
        )


def _with_fixed_nodes(pool: PlannedPool) -> str:
    """Words for a pool that has all its nodes at all times."""
    if pool.config.autoscaling is not None:
        return "a pool without autoscaling"
    others = [it for it in pool.machine.capacity_modes if it not in _FROM_ZERO]
    return f"{pool.field}.capacity.mode {' or '.join(others)}"


def _label_problems(field: str, levels: tuple[str, ...], pool: PlannedPool) -> Iterator[Problem]:
    """A node without one of the labels is in no topology, and takes nothing."""
    placed = pool.config.compact_placement or pool.machine.additional_interfaces
    physical = [level for level in levels if level != _HOSTNAME]
    if physical and not placed:
        yield Problem(
            field,
            f"{pool.machine.name} has {physical[0]} only where it is placed compactly; "
            f"nearest: a topology of {_HOSTNAME} alone",
        )


def _mixed_problems(kueue: StackQueues) -> Iterator[Problem]:
    """Workloads that ask for no topology have one in queues all of whose flavors do."""
    for name in kueue.cluster_queues:
        known = [it for it in kueue.shares(name) if it in kueue.flavors]
        without = [it for it in known if kueue.flavors[it].topology is None]
        if without and len(without) < len(known):
            yield Problem(
                f"queues.cluster_queues.{name}.flavors",
                f"of its flavors {', '.join(without)} is without a topology, and what does not ask "
                "for one would never get the others; nearest: a topology for each, or for none",
            )
