"""What Kueue asks of nodes and says of where they stand: admission checks and topologies.

Sources: kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2/topology_types.go, pkg/scheduler/
flavorassigner/tas_flavorassigner.go and keps/2724-topology-aware-scheduling; which nodes have the
labels: Google Cloud documentation, "Schedule GKE workloads with Topology Aware Scheduling",
GoogleCloudPlatform/cluster-toolkit examples/gke-a3-highgpu to gke-a4, 104708037, and
GoogleCloudPlatform/container-engine-accelerators gke-topology-scheduler/README.md.
"""

from collections.abc import Iterator, Mapping

from catalog import MachineType
from components.kueue_topology import TOPOLOGY_LEVELS
from stacks.config_errors import nearest
from stacks.parts.pools.capacity import Queued
from stacks.parts.pools.nodes import GpuPool, NodePool, Nodes
from stacks.parts.queues.config import StackQueues
from stacks.problems import Problem

_HOSTNAME = TOPOLOGY_LEVELS[-1]


def check_problems(kueue: StackQueues, pools: Mapping[str, Nodes]) -> Iterator[Problem]:
    """`pools` are the flavors' nodes."""
    for name, queue in kueue.cluster_queues.items():
        field = f"queues.cluster_queues.{name}.admission_checks"
        queued = [it for it in kueue.shares(name) if isinstance(pools[it].capacity, Queued)]
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


def topology_problems(
    kueue: StackQueues, pools: Mapping[str, Nodes], machines: Mapping[str, MachineType]
) -> Iterator[Problem]:
    """`pools` and `machines` are the flavors'."""
    for name, topology in kueue.topologies.items():
        ordered = [level for level in TOPOLOGY_LEVELS if level in topology.levels]
        if ordered != list(topology.levels):
            yield Problem(
                f"queues.topologies.{name}.levels",
                "levels go from the widest to the narrowest, each of them once; "
                f"nearest: {', '.join(ordered)}",
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
        yield from _label_problems(field, levels, pools[name], machines[name])
    yield from _mixed_problems(kueue)


def _fixed_problems(field: str, pool: Nodes) -> Iterator[Problem]:
    """Kueue holds pods back until it has found their nodes, and nothing makes nodes for those."""
    if not isinstance(pool, NodePool):
        yield Problem(
            field, "Autopilot makes nodes for pods that wait for none yet; nearest: leave it out"
        )
    elif pool.bounds.min < pool.bounds.max:
        yield Problem(
            field,
            f"Kueue looks for room on nodes that are there, and the pool has {pool.bounds.min} to "
            f"{pool.bounds.max}; nearest: leave it out, or a pool without autoscaling",
        )


def _label_problems(
    field: str, levels: tuple[str, ...], pool: Nodes, machine: MachineType
) -> Iterator[Problem]:
    """A node without one of the labels is in no topology, and takes nothing."""
    placed = isinstance(pool, GpuPool) and pool.compact_placement
    physical = [level for level in levels if level != _HOSTNAME]
    if physical and not placed and not machine.additional_interfaces:
        yield Problem(
            field,
            f"{machine.name} has {physical[0]} only where it is placed compactly; "
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
