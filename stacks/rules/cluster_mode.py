"""Which blocks go with a Standard cluster and which with Autopilot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stacks.blocks.cluster import AnyCluster, ClusterLocation
from stacks.problems import Problem

if TYPE_CHECKING:
    from stacks.blocks.either_mode_stack import EitherModeStack

# Other ways are not documented for pods that ask for interfaces.
_AUTOPILOT_CAPACITY = ("on-demand", "spot", "reservation")


def standard_problems(config: EitherModeStack) -> Iterator[Problem]:
    if config.gpu_pool is None:
        yield Problem(
            "gpu_pool",
            "missing; a Standard cluster needs a block with machine_type, nodes; "
            "nearest: gpu_pool, or cluster.mode autopilot with gpu_nodes",
        )
    if config.gpu_nodes is not None:
        yield Problem(
            "gpu_nodes",
            "a Standard cluster has its nodes in pools; nearest: gpu_pool with the same keys",
        )


def autopilot_problems(config: EitherModeStack) -> Iterator[Problem]:
    for field, instead in (
        ("gpu_pool", "gpu_nodes with machine_type, nodes and capacity"),
        ("extra_gpu_pools", "more nodes in gpu_nodes"),
        ("cpu_pool", "leave it out"),
    ):
        if getattr(config, field):
            yield no_pool(field, instead)
    if config.gpu_nodes is None:
        yield Problem("gpu_nodes", "missing; it needs a block with machine_type, nodes")
    elif config.gpu_nodes.capacity.mode not in _AUTOPILOT_CAPACITY:
        machine = config.facts.machines.get(config.gpu_nodes.machine_type)
        ways = machine.capacity_modes if machine else _AUTOPILOT_CAPACITY
        yield Problem(
            "gpu_nodes.capacity.mode",
            f"{config.gpu_nodes.capacity.mode} cannot be asked for by pods with interfaces on "
            f"Autopilot; nearest: {', '.join(it for it in _AUTOPILOT_CAPACITY if it in ways)}",
        )
    yield from location_problems(config.cluster)


def no_pool(field: str, instead: str) -> Problem:
    """What is wrong with a block of a pool beside Autopilot."""
    return Problem(
        field,
        f"Autopilot takes no node pools: it makes nodes from what pods ask for; nearest: {instead}",
    )


def location_problems(cluster: AnyCluster) -> Iterator[Problem]:
    """Of an Autopilot cluster."""
    if cluster.location is ClusterLocation.ZONAL:
        yield Problem(
            "cluster.location", "Autopilot clusters are always regional; nearest: regional"
        )
