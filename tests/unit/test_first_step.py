"""To the first step, with accelerators early and just in time: what is derived of one is what the
other would be. The stand-in for the engine has the program's own dependencies; seconds are those of
the table of durations."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog, Way
from catalog.durations import Durations
from sandbox.of_stacks.first_step import EARLY, LATE, MIXED, Course, courses
from sandbox.of_stacks.first_step_words import better, usd
from sandbox.plan import planned_steps
from sandbox.planned_pulls import with_pulls
from stacks.config import validate
from stacks.parts.pools.order import choosable
from tests.conftest import changed, stack_config
from tests.parts.machine_samples import NVLINK
from tests.parts.samples import KEPT
from tests.programs import WITH_TOKEN, registered
from tests.unit.planned_goals import goals_of, inputs_of

# Machines with accelerators that are there from the start; spot ones come when pods are pending.
OURS = {"mode": "reservation", "name": "ours"}
RESERVED = changed(stack_config("b200-lustre"), pools__gpu__capacity=OURS)
LAB = changed(
    stack_config("lab"), pools__h200__capacity=OURS, pools__l4__capacity={"mode": "on-demand"}
)
CHOOSE = {
    "b200-lustre": RESERVED,
    "lab": LAB,
    **{it: stack_config(it) for it in ("verl-b200", "kueue-mixed", "gcsfuse-checkpoint")},
    "tpu-multislice": stack_config("tpu-multislice"),
    # With Redis under Ray, and with a script.
    "kept": KEPT,
    "rack": NVLINK,
}
# By a mirror that is there already, and has what was pulled through it.
MIRROR = "us-east1-docker.pkg.dev/my-project/nvcr-io"
STREAMED = {"images__repositories": {"nvcr.io": MIRROR}}


def of(config: dict[str, Any]) -> dict[str, Course]:
    plan = validate(config, secrets_set=WITH_TOKEN)
    made = registered(plan)
    goals, inputs, durations = goals_of(made), inputs_of(made), Durations.load()
    steps, dependencies, _ = with_pulls(*planned_steps(goals, durations, inputs), inputs, durations)
    found = courses(plan, goals, steps, dependencies, inputs, durations)
    return {it.when: it for it in found}


def late(config: dict[str, Any]) -> dict[str, Any]:
    pools = choosable(validate(config, secrets_set=WITH_TOKEN))
    return changed(config, **{f"pools__{it}__when": "just-in-time" for it in pools})


@pytest.mark.parametrize("stack", CHOOSE)
def test_the_way_that_is_derived_is_the_way_that_the_config_would_have(stack: str) -> None:
    early = CHOOSE[stack]
    derived, real = of(early), of(late(early))
    assert derived[EARLY].chosen
    assert real[LATE].chosen
    for when in (EARLY, LATE):
        assert (derived[when].seconds, derived[when].accelerator_seconds, derived[when].usd) == (
            real[when].seconds,
            real[when].accelerator_seconds,
            real[when].usd,
        )


def test_pools_just_in_time_stand_with_lustre_and_not_after_it() -> None:
    found = of(changed(RESERVED, **STREAMED))
    assert found[LATE].accelerator_seconds < found[EARLY].accelerator_seconds
    assert found[LATE].seconds <= 1.1 * found[EARLY].seconds


def test_just_in_time_the_head_s_nodes_pull_first_through_an_empty_mirror() -> None:
    found = of(RESERVED)
    streamed = of(changed(RESERVED, **STREAMED))
    assert found[LATE].accelerator_seconds == streamed[LATE].accelerator_seconds
    assert found[LATE].accelerator_seconds <= found[EARLY].accelerator_seconds / 2
    assert found[LATE].seconds <= 1.1 * found[EARLY].seconds


def test_accelerators_that_pull_an_image_are_paid_for_it_both_ways() -> None:
    found = of(changed(RESERVED, images__streaming=False))
    assert found[LATE].accelerator_seconds == found[EARLY].accelerator_seconds
    assert found[LATE].seconds > found[EARLY].seconds


def test_accelerators_are_paid_from_when_they_stand_to_the_first_step() -> None:
    (early, *_) = of(RESERVED).values()
    assert early.accelerator_seconds % 64 == 0
    hours = early.accelerator_seconds / 64 / 3600
    assert early.usd is not None
    rate = Catalog.load().machine_rate("a4-highgpu-8g", Way.CALENDAR, "us-east1")
    assert rate is not None
    assert early.usd == pytest.approx((8 * rate.low * hours, 8 * rate.high * hours))


def test_of_several_pools_some_may_be_just_in_time() -> None:
    found = of(changed(LAB, pools__h200__when="just-in-time"))
    assert found[MIXED].chosen
    assert not found[EARLY].chosen
    assert not found[LATE].chosen


@pytest.mark.parametrize(
    "stack", ["serve-autopilot", "verl-b200-autopilot", "tpu-elastic", "b200-lustre", "lab", "dev"]
)
def test_machines_that_come_with_pods_leave_no_choice(stack: str) -> None:
    assert of(stack_config(stack)) == {}


def test_what_is_better_is_said_with_how_much() -> None:
    early = Course(EARLY, 1000, 64 * 300, (20.0, 40.0))
    later = Course(LATE, 1060, 64 * 60, (4.0, 8.0))
    assert better([early, later]) == (
        "just-in-time costs 16 to 32 USD and 256 accelerator-minutes less than early before the "
        "first step; early is there 01:00 min before just-in-time"
    )
    unknown = Course(LATE, 1000, 64 * 60, None)
    assert better([early, unknown]) == (
        "just-in-time costs 256 accelerator-minutes less than early before the first step"
    )
    assert better([early, Course(LATE, 1060, 64 * 300, (20.0, 40.0))]) == (
        "both cost the same before the first step; early is there 01:00 min before just-in-time"
    )
    assert usd(None) == "not known"
