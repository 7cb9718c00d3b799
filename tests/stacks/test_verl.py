"""What a change of a verl stack's config does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.stacks.conftest import Sandbox, changed, replaced

pytestmark = pytest.mark.thorough

STACK = "verl-b200"
TESTED = "ray.b200-ray-cluster.nccl_test.minimum_bus_bandwidth_gbps=300"
SandboxOf = Callable[[str], Sandbox]


def test_a_bucket_name_that_others_hold_fails_by_name_and_another_converges(
    empty: SandboxOf,
) -> None:
    sandbox = empty(STACK)
    failed = sandbox.run("up", "buckets.bucket.name=datasets")
    assert not failed.ok
    assert any("datasets" in message for message in failed.report.diagnostics)
    assert sandbox.succeed("up", "buckets.bucket.name=my-own-datasets").cloud[
        "gcp:storage/bucket:Bucket"
    ] == ["my-own-datasets"]
    assert changed(sandbox.succeed("preview", "buckets.bucket.name=my-own-datasets")) == {}


def test_another_bucket_replaces_what_mounts_it_and_keeps_the_nodes(
    brought_up: SandboxOf,
) -> None:
    names = replaced(brought_up(STACK).succeed("up", "buckets.bucket.name=my-other-bucket"))
    assert {
        "bucket-bucket",
        "bucket-user-grant",
        "b200-ray-cluster-cluster",
        "verl-grpo-job",
    } <= set(names)
    assert not {"gke-cluster", "gpu-pool", "cpu-pool"} & set(names)


def test_another_test_of_the_network_is_another_job_and_leaves_ray(brought_up: SandboxOf) -> None:
    assert replaced(brought_up(STACK).succeed("up", TESTED)) == ["verl-grpo-job"]


def test_a_changed_training_parameter_runs_the_job_again(brought_up: SandboxOf) -> None:
    assert replaced(brought_up(STACK).succeed("up", "jobs.verl-grpo.epochs=3")) == ["verl-grpo-job"]


@pytest.mark.parametrize(
    ("change", "also"),
    [
        ("namespace=elsewhere", {"bucket-volume-claim", "account-account"}),
        ("service_account=someone", {"account-account"}),
    ],
)
def test_pods_let_go_of_the_claim_when_their_place_or_their_account_changes(
    brought_up: SandboxOf, change: str, also: set[str]
) -> None:
    sandbox = brought_up(STACK)
    for settings in ([change], []):
        names = set(replaced(sandbox.succeed("up", *settings)))
        assert also | {"bucket-user-grant", "b200-ray-cluster-cluster", "verl-grpo-job"} <= names
        assert not {"gke-cluster", "gpu-pool", "bucket-bucket"} & names
        assert changed(sandbox.succeed("preview", *settings)) == {}
        assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}
    assert sandbox.succeed("destroy").cloud == {}


def test_another_role_on_the_bucket_leaves_what_runs_alone(brought_up: SandboxOf) -> None:
    result = brought_up(STACK).succeed("up", "buckets.bucket.role=objectAdmin")
    assert replaced(result) == ["bucket-user-grant"]
