"""What a preview would take, from the engine's update plan and the table of durations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.durations import Durations
from sandbox.events import EngineReport
from sandbox.schedule import TimedStep, state_dependencies
from sandbox.urns import token_of

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
) -> tuple[list[TimedStep], dict[str, set[str]]]:
    """Steps and dependencies of an update plan, as `pulumi preview --save-plan` writes it; it has
    what changes, and `inputs` has all."""
    steps: list[TimedStep] = []
    dependencies: dict[str, set[str]] = {}
    for urn, plan in plans.items():
        goal = plan.get("goal") or {}
        dependencies.update(state_dependencies([{**goal, "urn": urn}]))
        token = token_of(urn)
        custom = token.startswith(("gcp:", "kubernetes:"))
        for operation in plan.get("steps") or []:
            timed = _TIMED.get(operation)
            if custom and timed is not None:
                steps.append(
                    TimedStep(urn, timed, durations.seconds(token, timed, inputs.get(urn)))
                )
    return steps, dependencies


def value_sources(plans: Mapping[str, Any]) -> dict[str, set[str]]:
    """By URN what its properties have values of, which a preview does not know."""
    found: dict[str, set[str]] = {}
    for urn, plan in plans.items():
        sources = (plan.get("goal") or {}).get("propertyDependencies") or {}
        found[urn] = {one for urns in sources.values() for one in urns or ()}
    return found


def new_inputs(report: EngineReport) -> Inputs:
    """Of what is there after it: what goes has no new ones."""
    found = (event.resource_pre_event for event in report.step_events)
    return {
        one.metadata.urn: one.metadata.new.inputs or {} for one in found if one and one.metadata.new
    }
