"""Managed Lustre in the zone of the nodes, where pods can mount it. No Pulumi import."""

from collections.abc import Iterator

from catalog import Catalog, check_capacity
from stacks.beside import beside_problems
from stacks.parts.lustre.config import Lustre
from stacks.plan import Plan
from stacks.problems import Problem, problem_of
from stacks.rules.mount_paths import mount_path_problems
from stacks.stack import Stack

_OF_MADE = {"name": "lustre", "capacity_gib": "9000", "throughput_mbps_per_tib": "1000"}


def references(stack: Stack, facts: Catalog) -> Iterator[Problem]:
    """An instance that is made has all that it is made of."""
    del facts
    lustre = stack.lustre
    if lustre is None or lustre.existing is not None:
        return
    for key, near in _OF_MADE.items():
        if getattr(lustre, key) is None:
            yield Problem(f"lustre.{key}", f"missing; nearest: {near}")


def instance_problems(plan: Plan) -> Iterator[Problem]:
    lustre, zone = plan.stack.lustre, plan.stack.zone
    if lustre is None:
        return
    if lustre.made is not None:
        # A zone that is wrong already needs no second suggestion.
        known = zone if zone in plan.facts.zones else None
        yield from _tier_problems(plan.facts, known, lustre.made)
    yield from mount_path_problems("lustre.mount_path", lustre.mount_path, nearest="/lustre")


def existing_problems(plan: Plan) -> Iterator[Problem]:
    """An instance that exists already is reached from the network that it was made for."""
    lustre = plan.stack.lustre
    if lustre is None or lustre.existing is None:
        return
    whose = "the instance is there already, with its own"
    yield from beside_problems("lustre", lustre, ("name", "throughput_mbps_per_tib"), whose)
    if plan.stack.makes_network:
        yield Problem(
            "lustre.existing",
            f'"{lustre.existing}" is reached from the network that it was made for, and the stack '
            "makes one of its own; nearest: that network as network.existing",
        )


RULES = (instance_problems, existing_problems)


def _tier_problems(facts: Catalog, zone: str | None, lustre: Lustre) -> Iterator[Problem]:
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
