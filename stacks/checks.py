"""What is wrong between the parts of a stack. No Pulumi import."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

from catalog.machines import MachineTable
from catalog.table import load_table
from stacks.object_names import name_problems
from stacks.parts.cluster.rules import cluster_problems
from stacks.parts.pools.room import room_problems
from stacks.parts.pools.rules import ended_problems
from stacks.plan import Plan
from stacks.problems import Problem, problem_of
from stacks.stack import Stack

Rule: TypeAlias = Callable[[Plan], Iterator[Problem]]
# Parts whose rules find what names another part, or a fact, that everything else is derived from.
REFERRING = ("pools", "ray", "jobs", "servers", "lustre")
# Parts in the order in which their rules speak.
PARTS = (
    "pools",
    "network",
    "cluster",
    "images",
    "lustre",
    "buckets",
    "ray",
    "redis",
    "jobs",
    "servers",
    "queues",
    "teams",
)


def _cluster(workers: str, *, redis: bool) -> dict[str, Any]:
    """A RayCluster that fits any node."""
    pod = {"requests": {"cpu": 1, "memory_gib": 1}}
    return {"head": {**pod, "redis": redis}, "workers": {workers: pod}}


# What stands in for a part that cannot be read: several, of which rules say different things.
STAND_INS: Mapping[str, tuple[Any, ...]] = {
    "pools": (
        {"machine_type": "g2-standard-8", "nodes": 1},
        {"machine_type": "ct6e-standard-4t", "topology": "2x2", "slices": 1},
        {"machine_type": "e2-standard-4", "nodes": 1},
    ),
    "lustre": (
        {"name": "lustre", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000},
        {"name": "lustre", "capacity_gib": 18000, "throughput_mbps_per_tib": 500},
    ),
    "images": ({},),
    "buckets": ({},),
    "redis": ({},),
    "ray": (_cluster("cpu", redis=False), _cluster("gpu", redis=True)),
}


def references_of(stack: Stack) -> Iterator[Problem]:
    """Names that lead nowhere. Of a config with any there is no plan."""
    plan = Plan(stack)
    if not _unknown(plan):
        for part in _asked(stack, REFERRING):
            yield from part.references(stack, plan.facts)


def problems_of(
    stack: Stack, now: datetime | None = None, without: Collection[Rule] = ()
) -> Iterator[Problem]:
    """Each once, of a config whose names all lead somewhere; `now` is what maintenance windows and
    the ends of reservations are held against. Rules `without` which it is read are not asked."""
    now = now or datetime.now(UTC)
    yield from cluster_problems(stack.cluster, now)
    yield from ended_problems(stack.pools, now)
    plan = Plan(stack)
    unknown = _unknown(plan)
    asked = [it for it in rules_of(stack) if it not in without]
    # Without facts nothing more is known.
    yield from unknown or dict.fromkeys(one for rule in asked for one in rule(plan))


def rules_of(stack: Stack) -> Iterator[Rule]:
    """Those of the parts that a stack has, and of what they are in together."""
    for part in _asked(stack, PARTS):
        yield from part.RULES
    yield room_problems
    yield name_problems


def _asked(stack: Stack, parts: Sequence[str]) -> Iterator[ModuleType]:
    """The rules of parts; of what a stack has not none are loaded."""
    # A RayCluster may name what there is not.
    named = {
        "redis": any(it.head.redis for it in stack.ray.values()),
        "queues": any(it.queue is not None for it in stack.ray.values()),
    }
    for part in parts:
        if getattr(stack, part) or named.get(part):
            yield import_module(f"stacks.parts.{part}.rules")


def _unknown(plan: Plan) -> list[Problem]:
    """What is wrong with the catalog's additions."""
    check = load_table(MachineTable, "machine_types").check_buildable
    unbuilt = [
        problem
        for name in plan.stack.catalog.machine_types
        for problem in problem_of(f"catalog.machine_types.{name}", partial(check, name))
    ]
    return unbuilt or problem_of("catalog", lambda: plan.facts)
