"""What is wrong between the parts of a stack. No Pulumi import."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from catalog import Catalog
from catalog.machines import MachineTable
from catalog.own_disks import OwnDisksTable
from catalog.table import load_table
from stacks import clock
from stacks.acknowledge import repeated_entries
from stacks.object_names import name_problems
from stacks.parts.cluster.rules import cluster_problems
from stacks.parts.part import Rule, texts_at
from stacks.parts.pools.room import room_problems
from stacks.parts.pools.rules import ended_problems
from stacks.parts.registry import PARTS
from stacks.plan import Plan
from stacks.problems import Problem, problem_of
from stacks.stack import Stack


def names_for(raw: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Names of RayClusters and of buckets that this config's other parts have; at least one, for
    what names none and needs one."""
    return {
        "ray": texts_at(raw, ("jobs", "ray")) or ("main",),
        "buckets": texts_at(raw, ("ray", "mounts"), ("jobs", "storage"), ("teams", "buckets"))
        or ("data",),
    }


def references_of(stack: Stack) -> Iterator[Problem]:
    """Names that lead nowhere. Of a config with any there is no plan."""
    plan = Plan(stack)
    if not _unknown(plan):
        for part in PARTS:
            if part.is_asked(stack):
                yield from part.references(stack, plan.facts)


def problems_of(
    stack: Stack, now: datetime | None = None, without: Collection[Rule] = ()
) -> Iterator[Problem]:
    """Each once, of a config whose names all lead somewhere; `now` is what maintenance windows and
    the ends of reservations are held against. Rules `without` which it is read are not asked."""
    now = now or clock.now()
    yield from cluster_problems(stack.cluster, now)
    yield from ended_problems(stack.pools, now)
    yield from repeated_entries(stack.acknowledge)
    plan = Plan(stack)
    unknown = _unknown(plan)
    asked = [it for it in rules_of(stack) if it not in without]
    # Without facts nothing more is known.
    yield from unknown or dict.fromkeys(one for rule in asked for one in rule(plan))


def rules_of(stack: Stack) -> Iterator[Rule]:
    """Those of the parts that a stack has, and of what they are in together."""
    for part in PARTS:
        if part.is_asked(stack):
            yield from part.rules
    yield room_problems
    yield name_problems


def _unknown(plan: Plan) -> list[Problem]:
    """What is wrong with the catalog's additions."""
    check = load_table(MachineTable, "machine_types").check_buildable
    unbuilt = [
        problem
        for name in plan.stack.catalog.machine_types
        for problem in problem_of(
            f"catalog.machine_types.{name}", partial(check, name), of_key=True
        )
    ]
    unbuilt += [
        Problem(f"catalog.machine_types.{name}.nics[0].{wrong[0]}", wrong[1])
        for name, facts in plan.stack.catalog.machine_types.items()
        if (wrong := facts.wrong_first_nic) is not None
    ]
    return (
        unbuilt
        or [*_untold_disks(plan)]
        or _unknown_offers(plan)
        or [*_unlocked_nccl(plan)]
        or problem_of("catalog", lambda: plan.facts)
    )


def _untold_disks(plan: Plan) -> Iterator[Problem]:
    """Local SSDs that come with an added machine type, and that the config does not tell of."""
    check = load_table(OwnDisksTable, "own_disks").check
    for name, facts in plan.stack.catalog.machine_types.items():
        told = "" if facts.local_ssd is None else ".count"
        field = f"catalog.machine_types.{name}.local_ssd{told}"
        yield from problem_of(field, partial(check, name, facts))


def _unlocked_nccl(plan: Plan) -> Iterator[Problem]:
    """What added machine types have for NCCL, and the version lock has not."""
    lock = Catalog.load().versions.nccl
    for name, facts in plan.stack.catalog.machine_types.items():
        if facts.nccl is not None and facts.nccl not in lock:
            yield Problem(
                f"catalog.machine_types.{name}.nccl",
                f'"{facts.nccl}" is not in the version lock; nearest: {", ".join(sorted(lock))}',
            )


def _unknown_offers(plan: Plan) -> list[Problem]:
    """Machine types of added zones that neither the catalog nor the config has."""
    added, known = plan.stack.catalog.machine_types, Catalog.load()
    return [
        problem
        for zone, facts in plan.stack.catalog.zones.items()
        for place, machine in enumerate(facts.offers)
        if machine not in added
        for problem in problem_of(
            f"catalog.zones.{zone}.offers[{place}]", partial(known.machine, machine)
        )
    ]
