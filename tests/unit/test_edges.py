"""Waits of critical paths: what each costs, and that each of a shipped stack's has a reason. The
stand-in for the engine has the program's own dependencies."""

from __future__ import annotations

import pytest

from catalog.durations import Durations
from cli.project import stack_names
from cli.urns import name_of, token_of
from sandbox.edges import waits_of
from sandbox.plan import planned_steps
from sandbox.planned_pulls import with_pulls
from sandbox.reasons import Reason, Reasons
from sandbox.removal import DATA, data_last
from sandbox.schedule import TimedStep, critical_path
from stacks.config import validate
from tests.conftest import stack_config
from tests.programs import WITH_TOKEN, registered
from tests.unit.planned_goals import goals_of, inputs_of

A, B, C = (f"urn:pulumi:s::p::a:b:{it}::{it.lower()}" for it in ("A", "B", "C"))
COMPONENT = "urn:pulumi:s::p::ours:x:Y::y"
REASONS = Reasons(reasons={"a:b:B": {"a:b:A": Reason(make="B is in A", delete="A is not empty")}})


def created(*seconds: tuple[str, float], operation: str = "create") -> list[TimedStep]:
    return [TimedStep(urn, operation, it) for urn, it in seconds]


def test_a_wait_costs_what_would_be_gained_without_it() -> None:
    steps = created((A, 10), (B, 20), (C, 25))
    (wait,) = waits_of(steps, {B: {A}, C: set()}, REASONS)
    assert (wait.before.urn, wait.step.urn, wait.costs) == (A, B, 5)


def test_a_wait_by_way_of_a_component_is_one_for_what_is_in_it() -> None:
    (wait,) = waits_of(created((A, 10), (B, 20)), {B: {COMPONENT}, COMPONENT: {A}}, REASONS)
    assert (wait.before.urn, wait.step.urn, wait.costs) == (A, B, 10)


def test_a_reason_is_one_way_for_what_is_made_and_the_other_for_what_goes() -> None:
    made, gone = (
        waits_of(created((A, 10), (B, 20), operation=it), {B: {A}}, REASONS)
        for it in ("create", "delete")
    )
    assert [it.reason for it in (*made, *gone)] == ["B is in A", "A is not empty"]


def test_what_has_no_reason_is_told_apart() -> None:
    (wait,) = waits_of(created((A, 10), (C, 20)), {C: {A}}, REASONS)
    assert wait.reason is None


@pytest.mark.parametrize("stack", stack_names())
def test_every_wait_on_the_critical_paths_of_a_stack_has_a_reason(stack: str) -> None:
    made = registered(validate(stack_config(stack), secrets_set=WITH_TOKEN))
    durations, inputs = Durations.load(), inputs_of(made)
    planned, dependencies = planned_steps(goals_of(made), durations, inputs)
    up, with_images, _ = with_pulls(planned, dependencies, inputs, durations)
    down = [
        TimedStep(it.urn, "delete", durations.seconds(token_of(it.urn), "delete", inputs[it.urn]))
        for it in planned
        # APIs stay on.
        if not token_of(it.urn).startswith("gcp:projects/service:")
    ]
    removal = data_last(dependencies, inputs)
    waits = [*waits_of(up, with_images), *waits_of(down, removal)]
    assert len(waits) > 10
    assert [it.to_json() for it in waits if it.reason is None] == []


def test_data_goes_after_every_pool() -> None:
    made = registered(validate(stack_config("b200-lustre"), secrets_set=WITH_TOKEN))
    goals, inputs = goals_of(made), inputs_of(made)
    _, dependencies = planned_steps(goals, Durations.load(), inputs)
    later = data_last(dependencies, inputs)
    added = {
        name_of(urn): {name_of(it) for it in needed - set(dependencies.get(urn, ()))}
        for urn, needed in later.items()
    }
    lustre = {"lustre-instance"}
    assert {name: it for name, it in added.items() if it} == {
        "cpu-pool": lustre,
        "gpu-pool": lustre,
    }
    assert all(token_of(it) in DATA for urn in inputs for it in later[urn] - dependencies[urn])
    steps = [TimedStep(urn, "delete", 1) for urn in inputs if name_of(urn) in added]
    assert critical_path(steps, later).seconds >= critical_path(steps, dependencies).seconds
