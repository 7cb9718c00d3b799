"""What a preview would take, from the engine's update plan and the table of durations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import networkx as nx

from catalog.durations import Durations
from cli.urns import state_dependencies, token_of
from sandbox.events import EngineReport
from sandbox.schedule import REMOVALS, TimedStep
from stacks.refusal import renews_nodes

# By URN.
Inputs = Mapping[str, Mapping[str, Any]]
_TIMED: Mapping[str, str] = {
    "create": "create",
    "update": "update",
    "delete": "delete",
    "delete-replaced": "delete",
    "create-replacement": "create",
}


def planned_steps(
    plans: Mapping[str, Any],
    durations: Durations,
    inputs: Inputs,
    order: Sequence[tuple[str, str]] = (),
    renewed: Collection[str] = (),
) -> tuple[list[TimedStep], dict[str, set[str]]]:
    """Steps and dependencies of an update plan, as `pulumi preview --save-plan` writes it; it has
    what changes, and `inputs` has all. The plan has no order between resources: `order` has the
    URNs and operations as the engine planned them. `renewed` are pools that get other nodes."""
    steps: list[tuple[int, TimedStep]] = []
    places = {it: place for place, it in enumerate(order)}
    dependencies: dict[str, set[str]] = {}
    for urn, plan in plans.items():
        goal = plan.get("goal") or {}
        dependencies.update(state_dependencies([{**goal, "urn": urn}]))
        token = token_of(urn)
        custom = token.startswith(("gcp:", "kubernetes:"))
        for operation in plan.get("steps") or []:
            timed = _TIMED.get(operation)
            if custom and timed is not None:
                renews = timed == "update" and urn in renewed
                seconds = durations.seconds(token, timed, inputs.get(urn), renews=renews)
                place = places.get((urn, operation), len(places))
                steps.append((place, TimedStep(urn, timed, seconds, renews)))
    steps.sort(key=lambda it: it[0])
    return [step for _, step in steps], dependencies


def in_one_order(
    steps: Sequence[TimedStep], dependencies: Mapping[str, Iterable[str]]
) -> list[TimedStep]:
    """Of deletes that follow each other, those first that others do not wait for, and then by URN:
    where none waits for the other the engine goes by the order of its state, which differs from
    run to run."""
    waits: nx.DiGraph[str] = nx.DiGraph()
    waits.add_nodes_from(it.urn for it in steps)
    for urn, needed in dependencies.items():
        waits.add_edges_from((other, urn) for other in needed)

    def dependents_first(step: TimedStep) -> tuple[int, str]:
        # Who waits for another waits for all that the other does.
        return -len(nx.ancestors(waits, step.urn)), step.urn

    found: list[TimedStep] = []
    for goes, together in groupby(steps, lambda it: it.operation in REMOVALS):
        same = list(together)
        found += sorted(same, key=dependents_first) if goes else same
    return found


def value_sources(plans: Mapping[str, Any]) -> dict[str, set[str]]:
    """By URN what its properties have values of, which a preview does not know."""
    found: dict[str, set[str]] = {}
    for urn, plan in plans.items():
        sources = (plan.get("goal") or {}).get("propertyDependencies") or {}
        found[urn] = {one for urns in sources.values() for one in urns or ()}
    return found


def renewed_pools(olds: Inputs, news: Inputs) -> frozenset[str]:
    """Those whose nodes an update makes anew."""
    return frozenset(
        urn
        for urn, old in olds.items()
        if (new := news.get(urn)) is not None and renews_nodes(token_of(urn), old, new)
    )


def new_inputs(report: EngineReport) -> Inputs:
    """Of what is there after it: what goes has no new ones."""
    found = (event.resource_pre_event for event in report.step_events)
    return {
        one.metadata.urn: one.metadata.new.inputs or {} for one in found if one and one.metadata.new
    }


def planned_order(report: EngineReport) -> list[tuple[str, str]]:
    """URN and operation of each step, in the order in which the engine planned them."""
    found = (event.resource_pre_event for event in report.step_events)
    return [(one.metadata.urn, str(one.metadata.op.value)) for one in found if one]
