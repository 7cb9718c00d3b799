"""Managed Lustre in the zone of the nodes, where pods can mount it. No Pulumi import."""

from collections.abc import Iterator
from functools import partial

from catalog import Catalog, check_capacity
from stacks.beside import beside_problems
from stacks.plan import Plan
from stacks.problems import Problem, problem_of
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
    """Of one that is made, the tier has the capacity, and the nodes' zone the service."""
    lustre, facts, zone = plan.stack.lustre, plan.facts, plan.stack.zone
    if lustre is None or lustre.made is None:
        return
    # A zone that is wrong already needs no second suggestion.
    if zone in facts.zones:
        yield from problem_of("zone", partial(facts.check_lustre_zone, zone))
    speed, capacity = lustre.made.throughput_mbps_per_tib, lustre.made.capacity_gib
    unknown = problem_of("lustre.throughput_mbps_per_tib", partial(facts.lustre_tier, speed))
    yield from unknown or problem_of(
        "lustre.capacity_gib", lambda: check_capacity(facts.lustre_tier(speed), capacity)
    )


def existing_problems(plan: Plan) -> Iterator[Problem]:
    """An instance that exists already is reached from the network that it was made for."""
    lustre = plan.stack.lustre
    if lustre is None or lustre.existing is None:
        return
    whose = "the instance is there already, with its own"
    yield from beside_problems("lustre", lustre, ("name", "throughput_mbps_per_tib", "cmek"), whose)
    if plan.stack.makes_network:
        yield Problem(
            "lustre.existing",
            f'"{lustre.existing}" is reached from the network that it was made for, and the stack '
            "makes one of its own; nearest: that network as network.existing",
        )


RULES = (instance_problems, existing_problems)
