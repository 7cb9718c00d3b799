"""Accelerators early and just in time, on the sandbox: the order of things, and that a change of it
is no change of anything that is made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox.journal import Step
from sandbox.run_result import RunResult
from sandbox.urns import name_of
from tests.stacks.conftest import Sandbox, changed

SandboxOf = Callable[[str], Sandbox]
LATE = "pools.gpu.when=just-in-time"


def named(result: RunResult) -> dict[str, Step]:
    return {name_of(it.urn): it for it in result.timeline}


@pytest.mark.thorough
@pytest.mark.parametrize("stack", ["b200-lustre", "kueue-mixed"])
class TestJustInTime:
    def test_the_pool_waits_for_what_its_work_needs_and_all_goes_again(
        self, empty: SandboxOf, stack: str
    ) -> None:
        sandbox = empty(stack)
        done = sandbox.succeed("up", LATE)
        steps = named(done)
        before = {"b200-lustre": "cpu-pool", "kueue-mixed": "queues-local-queue-llm-lq"}[stack]
        assert steps["gpu-pool"].span.start >= steps[before].span.end
        assert changed(sandbox.succeed("preview", LATE)) == {}
        assert sandbox.succeed("destroy").cloud == {}

    def test_a_preview_says_of_both_ways_what_up_then_takes(
        self, empty: SandboxOf, stack: str
    ) -> None:
        courses = {it.when: it for it in empty(stack).succeed("preview").courses}
        assert courses["early"].chosen
        done = empty(stack).succeed("up", LATE)
        steps = named(done)
        stands = steps["gpu-pool"].span.end
        work = {"b200-lustre": "nemo-rl-grpo-test1-job", "kueue-mixed": "finetune-gemma-l4-job"}
        first = steps[work[stack]].span.end
        late = courses["just-in-time"]
        assert late.seconds == pytest.approx(first)
        accelerators = {"b200-lustre": 64, "kueue-mixed": 6}[stack]
        assert late.accelerator_seconds == pytest.approx(accelerators * (first - stands))

    def test_changing_it_on_a_running_stack_changes_nothing(
        self, brought_up: SandboxOf, stack: str
    ) -> None:
        sandbox = brought_up(stack)
        assert changed(sandbox.succeed("preview", LATE)) == {}
        assert changed(sandbox.succeed("up", LATE)) == {}
        assert changed(sandbox.succeed("up")) == {}
        assert sandbox.succeed("destroy", LATE).cloud == {}


@pytest.mark.parametrize("stack", ["b200-lustre"])
def test_destroy_gives_accelerators_back_first_and_takes_data_last(
    brought_up: SandboxOf, stack: str
) -> None:
    result = brought_up(stack).succeed("destroy")
    steps = named(result)
    assert steps["gpu-pool"].span.end <= steps["lustre-instance"].span.start
    # The cluster goes beside Lustre, and not after it.
    assert steps["gke-cluster"].span.start < steps["lustre-instance"].span.end
    assert result.makespan_s <= 1.05 * result.critical.seconds
