"""Zone, region, machine types and versions that go together."""

from collections.abc import Iterable, Iterator

from catalog import Catalog, GkeVersion
from stacks.blocks.capacity import FlexStart, Queued
from stacks.blocks.pools import NodePool, Nodes
from stacks.problems import Problem, problem_of


def zone_problems(facts: Catalog, region: str, zone: str) -> list[Problem]:
    """The zone is known and lies in the region."""
    unknown = problem_of("zone", lambda: facts.zone(zone))
    if unknown:
        return unknown
    if facts.region_of(zone) == region:
        return []
    inside = problem_of("region", lambda: facts.zones_in(region))
    if inside:
        return inside
    return [
        Problem(
            "zone",
            f'"{zone}" is not in the region {region}; '
            f"nearest: {', '.join(facts.zones_in(region))}, or the region {facts.region_of(zone)}",
        )
    ]


def pool_problems(facts: Catalog, zone: str, field: str, pool: Nodes) -> Iterator[Problem]:
    """The machine type is in the zone and boots from the disk, and the bounds hold the nodes."""
    where = f"{field}.machine_type"
    unknown = problem_of(where, lambda: facts.machine(pool.machine_type))
    yield from unknown
    if unknown:
        return
    machine = facts.machine(pool.machine_type)
    yield from problem_of(where, lambda: facts.check_offer(zone, pool.machine_type))
    if not isinstance(pool, NodePool):
        return
    if pool.disk.type is not None and pool.disk.type not in machine.boot_disk_types:
        yield Problem(
            f"{field}.disk.type",
            f"{pool.disk.type} does not boot {machine.name}; "
            f"nearest: {', '.join(machine.boot_disk_types)}",
        )
    bounds = pool.bounds
    queued = isinstance(pool.capacity, FlexStart | Queued)
    if pool.nodes > bounds.max or (pool.nodes < bounds.min and not queued):
        yield Problem(
            f"{field}.autoscaling",
            f"{bounds.min} to {bounds.max} leaves out the {pool.nodes} nodes that the workloads "
            f"use; nearest: {min(bounds.min, pool.nodes)} to {max(bounds.max, pool.nodes)}",
        )


def accelerator_problems(
    facts: Catalog, field: str, gpu: Nodes, cpu: Nodes | None
) -> Iterator[Problem]:
    """The GPU nodes have GPUs, and the CPU pool no accelerators."""
    known = facts.machines
    machine = known.get(gpu.machine_type)
    if machine and (machine.accelerator is None or machine.accelerator.kind != "gpu"):
        with_gpus = [
            it.name for it in known.values() if it.accelerator and it.accelerator.kind == "gpu"
        ]
        yield Problem(
            f"{field}.machine_type",
            f"{machine.name} has no GPUs; nearest: {', '.join(with_gpus[:3])}",
        )
    if cpu is not None:
        yield from idle_problems(facts, cpu)


def idle_problems(facts: Catalog, cpu: Nodes) -> Iterator[Problem]:
    """The CPU pool has no accelerators that would stand idle."""
    machine = facts.machines.get(cpu.machine_type)
    if machine and machine.accelerator:
        plain = [it.name for it in facts.machines.values() if it.accelerator is None]
        yield Problem(
            "cpu_pool.machine_type",
            f"{machine.name} has {machine.accelerator.marketing_name} accelerators that no pod of "
            f"this pool asks for; nearest: {', '.join(plain[:3])}",
        )


def extra_pool_problems(field: str, pool: Nodes, first: Nodes) -> Iterator[Problem]:
    """A workload has pods of one size, and one request brings all machines of a queue."""
    if Queued in (type(pool.capacity), type(first.capacity)):
        yield Problem(
            f"{field}.capacity.mode",
            "queued machines come for all of a workload at once, so they fill one pool; "
            "nearest: flex-start in each",
        )
    if pool.machine_type != first.machine_type:
        yield Problem(
            f"{field}.machine_type",
            f"workloads are cut to a {first.machine_type}, and this pool has "
            f"{pool.machine_type}; nearest: {first.machine_type}",
        )


def version_problems(
    facts: Catalog, version: GkeVersion | None, features: Iterable[str], machine: str
) -> list[Problem]:
    """A version that the stack asks for has what it uses."""
    if version is None:
        return []
    return problem_of(
        "cluster.version", lambda: facts.check_gke(version, *features, machine=machine)
    )
