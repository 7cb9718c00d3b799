"""Managed Lustre in the zone of the nodes, where pods can mount it. No Pulumi import."""

from collections.abc import Iterator

from stacks.plan import Plan
from stacks.problems import Problem
from stacks.rules.mount_paths import mount_path_problems
from stacks.rules.storage import lustre_problems


def instance_problems(plan: Plan) -> Iterator[Problem]:
    lustre, zone = plan.stack.lustre, plan.stack.zone
    if lustre is not None:
        # A zone that is wrong already needs no second suggestion.
        known = zone if zone in plan.facts.zones else None
        yield from lustre_problems(plan.facts, known, lustre)
        yield from mount_path_problems("lustre.mount_path", lustre.mount_path, nearest="/lustre")


RULES = (instance_problems,)
