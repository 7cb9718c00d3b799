"""What holds for every stack: up, nothing left to do, drift, failures, destroy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cli.project import stack_names
from cli.urns import token_of
from sandbox.faults import Crash, Fail, Faults
from tests.parts.leaks import files_with
from tests.stacks.conftest import CANARY, IN_EVERY_TEST, Sandbox, by_tier, changed

STACKS = stack_names()
SandboxOf = Callable[[str], Sandbox]

# Operations before the engine is killed: among APIs and networks, or among clusters and pools.
KILLED_AFTER = (14, 4)
# What a destroyed stack may leave: nothing of its own.
NOTHING: dict[str, list[str]] = {}


def made_once(sandbox: Sandbox) -> bool:
    """Whether each resource of the state is in the cloud, and the cloud has nothing else."""
    urns = [
        resource["urn"]
        for resource in sandbox.state()["resources"]
        if token_of(resource["urn"]).startswith(("gcp:", "kubernetes:"))
    ]
    existing = sum(len(ids) for ids in sandbox.describe_everything().values())
    return len(urns) == len(set(urns)) == existing


@pytest.mark.parametrize("stack", by_tier(*IN_EVERY_TEST))
class TestUpAndDown:
    def test_nothing_is_left_to_do_right_after_up(self, brought_up: SandboxOf, stack: str) -> None:
        sandbox = brought_up(stack)
        assert changed(sandbox.succeed("preview")) == {}
        assert made_once(sandbox)

    def test_every_pod_runs(self, brought_up: SandboxOf, stack: str) -> None:
        waiting = {pod.name: pod.reason for pod in brought_up(stack).pods() if not pod.node}
        assert waiting == {}

    def test_destroy_leaves_the_simulated_cloud_empty(
        self, brought_up: SandboxOf, stack: str
    ) -> None:
        result = brought_up(stack).succeed("destroy")
        assert result.cloud == NOTHING


@pytest.mark.parametrize("stack", by_tier("b200-lustre"))
class TestLifecycle:
    def test_preview_names_every_resource_that_up_makes(
        self, empty: SandboxOf, brought_up: SandboxOf, stack: str
    ) -> None:
        preview = empty(stack).succeed("preview")
        urns = {resource["urn"] for resource in brought_up(stack).state()["resources"]}
        assert {resource.urn for resource in preview.report.resources} == urns

    def test_the_simulated_time_of_up_is_at_least_its_critical_path_and_beats_one_by_one(
        self, brought_up: SandboxOf, stack: str
    ) -> None:
        summary = brought_up(stack).up_summary
        assert 0 < summary["critical_path_s"] <= summary["makespan_s"] < summary["sequential_s"]

    def test_the_range_of_up_is_around_what_it_took(
        self, brought_up: SandboxOf, stack: str
    ) -> None:
        up = brought_up(stack).up_summary
        assert 0 < up["makespan_low_s"] < up["makespan_s"] < up["makespan_high_s"]

    @pytest.mark.thorough
    def test_a_failed_create_then_up_again_makes_nothing_twice(
        self, empty: SandboxOf, stack: str
    ) -> None:
        sandbox = empty(stack)
        rule = Fail(kind="fail", type="gcp:container/cluster:Cluster", message="no quota for it")
        failed = sandbox.run("up", faults=Faults(rules=(rule,)))
        assert not failed.ok
        assert any("no quota for it" in message for message in failed.report.diagnostics)
        sandbox.succeed("up")
        assert made_once(sandbox)
        assert changed(sandbox.succeed("preview")) == {}

    @pytest.mark.thorough
    def test_an_engine_killed_in_the_middle_then_up_again_converges(
        self, empty: SandboxOf, stack: str
    ) -> None:
        sandbox = empty(stack)
        after = KILLED_AFTER[STACKS.index(stack) % len(KILLED_AFTER)]
        killed = sandbox.run("up", faults=Faults(rules=(Crash(kind="crash", after=after),)))
        assert not killed.ok
        assert sandbox.state().get("pending_operations"), "the engine died with a create under way"
        assert list(sandbox.workspace.backend.rglob("*.attrs")) == [], "state is never half written"
        sandbox.succeed("up")
        assert made_once(sandbox)
        assert changed(sandbox.succeed("preview")) == {}

    def test_no_secret_is_in_any_file_of_the_sandbox(
        self, brought_up: SandboxOf, stack: str
    ) -> None:
        folder = brought_up(stack).workspace.root
        assert len([it for it in folder.rglob("*") if it.is_file()]) > 5
        assert files_with(CANARY, folder) == []

    def test_a_changed_label_updates_and_replaces_nothing(
        self, brought_up: SandboxOf, stack: str
    ) -> None:
        result = brought_up(stack).succeed("up", "labels.purpose=other")
        assert set(changed(result).values()) == {"update"}
        assert result.report.changes["update"] > 0

    def test_refresh_finds_what_was_changed_behind_the_engines_back(
        self, brought_up: SandboxOf, stack: str
    ) -> None:
        sandbox = brought_up(stack)
        cloud = sandbox.cloud
        cluster = next(cloud.find("gcp:container/cluster:Cluster"))
        drifted = {**cluster.inputs, "resourceLabels": {"someone": "else"}}
        cloud.update(cluster.token, cluster.id, drifted)
        refreshed = sandbox.succeed("refresh")
        assert changed(refreshed)["gke-cluster"] == "refresh"
        assert refreshed.report.changes["update"] >= 1
        # A refresh calls a Job that still runs not ready, and it is sent once more as it is.
        running = {"finetune-gemma-l4-job": "update"} if stack == "kueue-mixed" else {}
        assert changed(sandbox.succeed("preview")) == {"gke-cluster": "update", **running}

    def test_refresh_finds_what_was_deleted_behind_the_engines_back(
        self, brought_up: SandboxOf, stack: str
    ) -> None:
        sandbox = brought_up(stack)
        cloud = sandbox.cloud
        nat = next(cloud.find("gcp:compute/routerNat:RouterNat"))
        cloud.finish_delete(nat)
        assert sandbox.succeed("refresh").report.changes["delete"] == 1
        assert changed(sandbox.succeed("up"))["network-nat"] == "create"

    def test_the_summary_is_one_json_object_with_every_key(
        self, brought_up: SandboxOf, stack: str
    ) -> None:
        summary = brought_up(stack).up_summary
        assert summary["stack"] == stack
        assert set(summary) == {
            "operation",
            "stack",
            "changes",
            "resources",
            "makespan_s",
            "makespan_low_s",
            "makespan_high_s",
            "critical_path_s",
            "sequential_s",
            "critical_path",
            "waits",
            "timeline",
            "to_first_step",
            "not_estimated",
            "wall_s",
            "diagnostics",
            "outputs",
            "cloud",
        }
