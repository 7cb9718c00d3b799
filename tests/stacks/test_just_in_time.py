"""Accelerators early and just in time, on the sandbox: the order of things, and that a change of it
is no change of anything that is made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from cli.urns import name_of
from sandbox.engine import Verb
from sandbox.journal import Step
from sandbox.run_result import RunResult
from tests.stacks.conftest import Sandbox, changed

SandboxOf = Callable[[str], Sandbox]
LATE = "pools.gpu.when=just-in-time"
# Spot machines come when pods are pending, and leave no choice.
OURS = {"b200-lustre": ("pools.gpu.capacity={mode: reservation, name: ours}",), "kueue-mixed": ()}
RESERVED = {"machine_type": "a4-highgpu-8g", "zone": "us-east1-b", "count": 8}


@pytest.fixture
def reserving(tmp_path: Path) -> Callable[..., RunResult]:
    """Runs of a project with machines that are reserved, all of which go well."""
    file = tmp_path / "project.yaml"
    file.write_text(yaml.safe_dump({"reservations": {"ours": RESERVED}}))

    def succeed(sandbox: Sandbox, verb: Verb, *overrides: str) -> RunResult:
        result = sandbox.run(verb, *OURS[sandbox.workspace.stack], *overrides, project=file)
        assert result.ok, result.report.diagnostics
        return result

    return succeed


def named(result: RunResult) -> dict[str, Step]:
    return {name_of(it.urn): it for it in result.timeline}


@pytest.mark.thorough
@pytest.mark.parametrize("stack", ["b200-lustre", "kueue-mixed"])
class TestJustInTime:
    def test_the_pool_waits_for_what_its_work_needs_and_all_goes_again(
        self, empty: SandboxOf, reserving: Callable[..., RunResult], stack: str
    ) -> None:
        sandbox = empty(stack)
        done = reserving(sandbox, "up", LATE)
        steps = named(done)
        before = {"b200-lustre": "cpu-pool", "kueue-mixed": "queues-local-queue-llm-lq"}[stack]
        assert steps["gpu-pool"].span.start >= steps[before].span.end
        assert changed(reserving(sandbox, "preview", LATE)) == {}
        assert reserving(sandbox, "destroy").cloud == {}

    def test_a_preview_says_of_both_ways_what_up_then_takes(
        self, empty: SandboxOf, reserving: Callable[..., RunResult], stack: str
    ) -> None:
        courses = {it.when: it for it in reserving(empty(stack), "preview").courses}
        assert courses["early"].chosen
        done = reserving(empty(stack), "up", LATE)
        steps = named(done)
        stands = steps["gpu-pool"].span.end
        work = {"b200-lustre": "nemo-rl-grpo-test1-job", "kueue-mixed": "finetune-gemma-l4-job"}
        first = steps[work[stack]].span.end
        late = courses["just-in-time"]
        assert late.seconds == pytest.approx(first)
        accelerators = {"b200-lustre": 64, "kueue-mixed": 6}[stack]
        assert late.accelerator_seconds == pytest.approx(accelerators * (first - stands))

    def test_changing_it_on_a_running_stack_changes_nothing(
        self, empty: SandboxOf, reserving: Callable[..., RunResult], stack: str
    ) -> None:
        sandbox = empty(stack)
        reserving(sandbox, "up")
        assert changed(reserving(sandbox, "preview", LATE)) == {}
        assert changed(reserving(sandbox, "up", LATE)) == {}
        assert changed(reserving(sandbox, "up")) == {}
        assert reserving(sandbox, "destroy", LATE).cloud == {}


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
