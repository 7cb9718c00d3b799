"""Simulated time: the clock's spans, and the longest chain of steps."""

from __future__ import annotations

import asyncio
import math

import pytest

from sandbox.clock import Slots, Span, VirtualClock
from sandbox.errors import UserError
from sandbox.schedule import TimedStep, critical_path, state_dependencies


def spend(speed: float, *jobs: tuple[float, float]) -> list[Span]:
    """Spans of chains of two operations each, all started together."""

    async def chain(clock: VirtualClock, first: float, second: float) -> Span:
        await clock.spend(first)
        return await clock.spend(second)

    async def together() -> list[Span]:
        clock = VirtualClock(speed)
        return list(await asyncio.gather(*(chain(clock, *job) for job in jobs)))

    return asyncio.run(together())


@pytest.mark.parametrize("speed", [math.inf, 20_000.0])
def test_what_follows_an_operation_starts_at_its_end_and_not_at_another_ones(
    speed: float,
) -> None:
    assert spend(speed, (10, 5), (600, 1)) == [Span(10, 15), Span(600, 601)]


def test_a_clock_that_stands_still_is_refused() -> None:
    with pytest.raises(UserError, match=r"must be above 0; nearest: 1$"):
        VirtualClock(0)


def test_a_sixth_operation_waits_for_a_free_slot() -> None:
    async def six() -> list[Span]:
        clock, slots = VirtualClock(math.inf), Slots(5)

        async def operation(seconds: float) -> Span:
            async with slots:
                return await clock.spend(seconds)

        return list(await asyncio.gather(*(operation(10 + n) for n in range(6))))

    assert asyncio.run(six())[-1] == Span(10, 25)


def step(urn: str, seconds: float, operation: str = "create") -> TimedStep:
    return TimedStep(urn, operation, seconds)


def test_the_critical_path_is_the_heaviest_chain_and_not_the_longest_list() -> None:
    steps = [step("net", 10), step("cluster", 480), step("pool", 150), step("lustre", 780)]
    found = critical_path(steps, {"cluster": ["net"], "pool": ["cluster"], "lustre": ["net"]})
    assert [it.urn for it in found.steps] == ["net", "lustre"]
    assert found.seconds == 790


def test_what_is_made_of_a_provider_waits_for_what_the_provider_is_made_of() -> None:
    found = critical_path(
        [step("cluster", 480), step("secret", 1)], {"secret": ["provider"], "provider": ["cluster"]}
    )
    assert [it.urn for it in found.steps] == ["cluster", "secret"]


def test_deletes_run_against_the_dependencies() -> None:
    steps = [step("pool", 90, "delete"), step("cluster", 300, "delete")]
    found = critical_path(steps, {"pool": ["cluster"]})
    assert [it.urn for it in found.steps] == ["pool", "cluster"]


def test_a_replacement_deletes_before_it_creates() -> None:
    steps = [step("lustre", 300, "delete"), step("lustre", 780, "create")]
    found = critical_path(steps, {"lustre": []})
    assert [(it.operation, it.seconds) for it in found.steps] == [("delete", 300), ("create", 780)]


def test_no_step_takes_no_time() -> None:
    assert critical_path([], {}).seconds == 0


def test_a_resource_waits_for_its_dependencies_and_its_provider() -> None:
    resource = {
        "urn": "urn:pulumi:s::p::t::pool",
        "dependencies": ["urn:pulumi:s::p::t::cluster"],
        "propertyDependencies": {"account": ["urn:pulumi:s::p::t::account"]},
        "provider": "urn:pulumi:s::p::pulumi:providers:gcp::google::0123",
    }
    assert state_dependencies([resource]) == {
        "urn:pulumi:s::p::t::pool": {
            "urn:pulumi:s::p::t::cluster",
            "urn:pulumi:s::p::t::account",
            "urn:pulumi:s::p::pulumi:providers:gcp::google",
        }
    }
