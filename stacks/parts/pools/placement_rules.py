"""Zone, region, machine types and versions that go together."""

from collections.abc import Iterator

from catalog import Catalog
from stacks.parts.pools.capacity import FlexStart, Queued
from stacks.parts.pools.nodes import NodePool, Nodes
from stacks.problems import Problem, problem_of


def zone_problems(facts: Catalog, region: str, zone: str, field: str = "zone") -> list[Problem]:
    """The zone is known and lies in the region."""
    unknown = problem_of(field, lambda: facts.zone(zone))
    if unknown:
        return unknown
    if facts.region_of(zone) == region:
        return []
    inside = problem_of("region", lambda: facts.zones_in(region))
    if inside:
        return inside
    return [
        Problem(
            field,
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
