"""TPU slices on the real engine: one more, one less, and one that is taken away for a while."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox.faults import Faults, Preempt
from tests.stacks.conftest import Sandbox, changed, replaced

pytestmark = pytest.mark.thorough

SandboxOf = Callable[[str], Sandbox]
STACK = "tpu-multislice"


def test_another_slice_is_one_more_pool_and_nothing_is_replaced(brought_up: SandboxOf) -> None:
    sandbox = brought_up(STACK)
    more = changed(sandbox.succeed("preview", "pools.v6e-16.slices=3"))
    assert more == {
        "v6e-16-2": "create",
        "v6e-16-2-pool": "create",
        "maxtext-tpu-cluster-cluster": "update",
        "maxtext-tpu-cluster-launchers-files": "update",
    }
    sandbox.succeed("up", "pools.v6e-16.slices=3")
    workers = [pod for pod in sandbox.pods() if "tpu-group" in pod.name]
    assert len(workers) == 12
    assert {pod.name: pod.reason for pod in workers if not pod.node} == {}
    assert changed(sandbox.succeed("preview", "pools.v6e-16.slices=3")) == {}


def test_the_first_slice_can_go_and_the_second_stays_what_it_was(brought_up: SandboxOf) -> None:
    sandbox = brought_up(STACK)
    less = changed(sandbox.succeed("up", "pools.v6e-16.slices=[1]"))
    assert less == {
        "v6e-16-0": "delete",
        "v6e-16-0-pool": "delete",
        "maxtext-tpu-cluster-cluster": "update",
        "maxtext-tpu-cluster-launchers-files": "update",
    }
    pools = sandbox.describe_everything()["gcp:container/nodePool:NodePool"]
    assert sorted(pool.rpartition("/")[2] for pool in pools) == ["cpu-pool", "v6e-16-1"]
    assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}


def test_a_spot_slice_that_is_taken_away_leaves_pods_waiting_and_changes_nothing_else(
    brought_up: SandboxOf,
) -> None:
    sandbox = brought_up("tpu-elastic")
    gone = Faults(rules=(Preempt(kind="preempt", pool="v6e-16-1"),))
    assert sandbox.run("refresh", faults=gone).ok
    waiting = [pod.name for pod in sandbox.pods() if not pod.node]
    assert len(waiting) == 4
    preview = sandbox.run("preview", faults=gone)
    assert preview.ok
    assert changed(preview) == {}
    sandbox.succeed("refresh")
    assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}
    assert changed(sandbox.succeed("preview")) == {}


@pytest.mark.parametrize(
    "settings",
    [
        ["pools.v6e-16.topology=4x8", "jobs.maxtext-llama3-8b.ici.fsdp=8"],
        ["pools.v6e-16.capacity.mode=spot"],
    ],
)
def test_other_slices_are_made_once_ray_let_go_of_the_old_ones(
    brought_up: SandboxOf, settings: list[str]
) -> None:
    sandbox = brought_up(STACK)
    for wanted in (settings, []):
        assert replaced(sandbox.succeed("up", *wanted)) == [
            "maxtext-llama3-8b-job",
            "maxtext-tpu-cluster-cluster",
            "v6e-16-0-pool",
            "v6e-16-1-pool",
        ]
        assert changed(sandbox.succeed("preview", *wanted)) == {}
        assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}
    assert sandbox.succeed("destroy").cloud == {}


def test_slices_come_up_side_by_side(brought_up: SandboxOf) -> None:
    timeline = brought_up(STACK).up_summary["timeline"]
    spans = {step["urn"].split("::")[-1]: (step["start_s"], step["end_s"]) for step in timeline}
    first, second = spans["v6e-16-0-pool"], spans["v6e-16-1-pool"]
    assert first[0] < second[1]
    assert second[0] < first[1]
