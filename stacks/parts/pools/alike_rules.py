"""Pools for pods of one template: machines and interfaces are alike. No Pulumi import."""

from collections.abc import Iterator, Sequence

from stacks.parts.pools.plan import PlannedPool
from stacks.problems import Problem


def alike_problems(field: str, pods: str, pools: Sequence[PlannedPool]) -> Iterator[Problem]:
    """`pods` is what they are called whose `pools` the field has."""
    first = pools[0]
    for place, pool in enumerate(pools):
        at = f"{field}.pools[{place}]"
        if (pool.machine.name, pool.config.topology) != (first.machine.name, first.config.topology):
            yield Problem(
                at,
                f"{pool.name} has {pool.machine.name}, and {pods} are cut to a "
                f"{first.machine.name}; nearest: {_nearest(pods)}",
            )
        elif (pool.interface_mode, _zone(pool)) != (first.interface_mode, _zone(first)):
            yield Problem(
                at,
                f"{pool.name} has its interfaces {pool.interface_mode} in {pool.zone}, and {pods} "
                f"ask for those of {first.name}, {first.interface_mode} in {first.zone}; "
                f"nearest: {_nearest(pods)}",
            )
        elif pool.gpus_claimed != first.gpus_claimed:
            yield Problem(
                at,
                f"{pool.name} has gpus_by {pool.config.gpus_by}, and {pods} have theirs by "
                f"{first.config.gpus_by}; nearest: {_nearest(pods)}",
            )


def _nearest(pods: str) -> str:
    return "a group of its own" if "group" in pods else "leave it out"


def _zone(pool: PlannedPool) -> str | None:
    """Where interfaces are tied to one, for the networks of the stack's own are."""
    return pool.zone if pool.interfaces else None
