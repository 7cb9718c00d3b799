"""Managed Lustre: tier, capacity, zone."""

from collections.abc import Iterator

from catalog import Catalog, check_capacity
from stacks.parts.lustre.config import Lustre
from stacks.problems import Problem, problem_of


def lustre_problems(facts: Catalog, zone: str | None, lustre: Lustre) -> Iterator[Problem]:
    """The instance stands in the nodes' zone, which has to have the service; None: not checked."""
    if zone is not None:
        yield from problem_of("zone", lambda: facts.check_lustre_zone(zone))
    speed = lustre.throughput_mbps_per_tib
    unknown = problem_of("lustre.throughput_mbps_per_tib", lambda: facts.lustre_tier(speed))
    yield from unknown
    if not unknown:
        tier = facts.lustre_tier(speed)
        yield from problem_of(
            "lustre.capacity_gib", lambda: check_capacity(tier, lustre.capacity_gib)
        )
