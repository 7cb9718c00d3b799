"""How long a stack takes to its first step and what its accelerators cost until then, with its
pools early and with them just in time.

All of it is from one preview: its plan has what waits for what, and `stacks.parts.pools.order` says
what else would wait the other way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from catalog.durations import Durations
from cli.urns import name_of, token_of
from sandbox.bounds import ends, slots_of
from sandbox.plan import value_sources
from sandbox.planned_pulls import with_pulls, without_pulls
from sandbox.schedule import Node, TimedStep, graph_of
from stacks.first_steps import first_steps
from stacks.machine_price import price_of
from stacks.parts.pools.order import Component, choosable, components_of, late_pools, waits
from stacks.plan import Plan

EARLY, LATE, MIXED = "early", "just-in-time", "as it is"
_OURS = "gke-ai:index:"
Dependencies = Mapping[str, set[str]]
Waits = Mapping[Component, Collection[Component]]


@dataclass(frozen=True)
class Course:
    """Simulated seconds to the first step, of accelerators that are paid before it, and USD for
    their machines, between two prices; None where one is not known."""

    when: str
    seconds: float
    accelerator_seconds: float
    usd: tuple[float, float] | None
    chosen: bool = False

    @property
    def accelerator_minutes(self) -> float:
        return self.accelerator_seconds / 60

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> Course:
        usd = found["usd"]
        given = {it.name: found[it.name] for it in fields(cls)}
        return cls(**{**given, "usd": None if usd is None else (usd[0], usd[1])})

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "accelerator_minutes": self.accelerator_minutes}


def courses(
    plan: Plan,
    goals: Mapping[str, Any],
    steps: Collection[TimedStep],
    dependencies: Dependencies,
    inputs: Mapping[str, Mapping[str, Any]],
    durations: Durations,
) -> list[Course]:
    """The ways to the first step of a preview, whose update plan `goals` is by URN, with its steps
    and what they wait for, pulls of images included, which the other way may come elsewise; none
    where it makes no pool that could come early or late, or no work on one."""
    pools, late = choosable(plan), late_pools(plan)
    if not pools:
        return []
    family = Family.of(goals)
    now, sources = waits(plan, late), value_sources(goals)
    own_steps, own_waits = without_pulls(steps, dependencies)
    ways = {EARLY: frozenset[str](), LATE: pools, MIXED: late}
    found: list[Course] = []
    for when, chosen in ways.items():
        if when == MIXED and chosen in (frozenset(), pools):
            continue
        there = family.rewired(own_waits, now, waits(plan, chosen))
        pulled = with_pulls(own_steps, there, inputs, durations, sources)
        course = _course(plan, when, _ends(*pulled), family)
        if course is not None:
            found.append(replace(course, chosen=chosen == late))
    return found


@dataclass(frozen=True)
class Family:
    """Components of ours by class and name, and what is in each."""

    urns: Mapping[Component, str]
    children: Mapping[str, Collection[str]]

    @classmethod
    def of(cls, goals: Mapping[str, Any]) -> Family:
        urns: dict[Component, str] = {}
        children: dict[str, set[str]] = defaultdict(set)
        for urn, plan in goals.items():
            if (token := token_of(urn)).startswith(_OURS):
                urns[token.removeprefix(_OURS), name_of(urn)] = urn
            if parent := (plan.get("goal") or {}).get("parent"):
                children[parent].add(urn)
        return cls(urns, children)

    def inside(self, components: Iterable[Component]) -> set[str]:
        """What is in those that are there, the components themselves left out."""
        todo = [self.urns[it] for it in components if it in self.urns]
        found: set[str] = set()
        while todo:
            more = self.children.get(todo.pop(), ())
            found.update(more)
            todo += more
        return found

    def rewired(self, dependencies: Dependencies, before: Waits, after: Waits) -> Dependencies:
        """With the waits `after` in the place of those `before`."""
        found = {urn: set(it) for urn, it in dependencies.items()}
        for component, awaited in before.items():
            if component in self.urns:
                found[self.urns[component]] -= self.inside(awaited)
        for component, awaited in after.items():
            if component in self.urns:
                found[self.urns[component]] |= self.inside(awaited)
        return found


def _ends(
    steps: Iterable[TimedStep],
    dependencies: Dependencies,
    inputs: Mapping[str, Mapping[str, Any]],
) -> dict[str, float]:
    """When each resource that is made stands."""
    graph, weights = graph_of(steps, dependencies)
    keys = {
        node: key
        for node, step in weights.items()
        if (key := slots_of(token_of(step.urn), inputs.get(step.urn) or {}))
    }
    seconds: dict[Node, float] = {node: step.seconds for node, step in weights.items()}
    found = ends(graph, seconds, keys)
    return {urn: found[urn, kind] for urn, kind in weights if kind == "make"}


def _course(plan: Plan, when: str, stands: Mapping[str, float], family: Family) -> Course | None:
    made = {(token_of(urn), name_of(urn)): at for urn, at in stands.items()}
    first: list[float] = []
    paid, low, high, known = 0.0, 0.0, 0.0, True
    for name in sorted(choosable(plan)):
        pool = plan.pools[name]
        works = [made[it] for it in first_steps(plan, pool) if it in made]
        machines = [
            at
            for one in components_of(pool)
            for urn in family.inside([one])
            if (at := stands.get(urn)) is not None
        ]
        if not works or not machines:
            continue
        first.append(min(works))
        each = pool.nodes / len(machines)
        node_seconds = sum(max(min(works) - at, 0.0) for at in machines) * each
        paid += node_seconds * pool.accelerators
        price = price_of(pool, plan.facts)
        if price is None:
            known = False
        else:
            low += price.low * node_seconds / 3600
            high += price.high * node_seconds / 3600
    if not first:
        return None
    return Course(when, min(first), paid, (low, high) if known else None)
