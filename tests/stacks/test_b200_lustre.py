"""What a change of b200-lustre's config does, and what it can never do by mistake."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox.faults import Fail, Faults
from tests.stacks.conftest import Sandbox, changed, replaced

STACK = "b200-lustre"
SandboxOf = Callable[[str], Sandbox]
_MIRROR = (
    *("images-nvcr-io", "images-nvcr-io-repository"),
    *("images-nvcr-io-cpu-reader", "images-nvcr-io-gpu-reader"),
)
OTHER_TIER = ("lustre.throughput_mbps_per_tib=500", "lustre.capacity_gib=18000")


@pytest.mark.thorough
def test_an_autoscaling_bound_updates_the_pool_and_nothing_else(brought_up: SandboxOf) -> None:
    result = brought_up(STACK).succeed("up", "pools.gpu.autoscaling={min: 0, max: 9}")
    assert changed(result) == {"gpu-pool": "update"}


@pytest.mark.thorough
def test_another_lustre_tier_replaces_the_instance_and_all_that_mounts_it(
    brought_up: SandboxOf,
) -> None:
    sandbox = brought_up(STACK)
    preview = sandbox.succeed("preview", *OTHER_TIER)
    expected = [
        "lustre-instance",
        "nemo-rl-grpo-test1-job",
        "ray-a4-gpu-spot-cluster",
        "volume-claim",
        "volume-volume",
    ]
    assert replaced(preview) == expected
    assert replaced(sandbox.succeed("up", *OTHER_TIER)) == expected
    assert changed(sandbox.succeed("preview", *OTHER_TIER)) == {}


def test_the_preview_says_why_a_resource_is_replaced(brought_up: SandboxOf) -> None:
    preview = brought_up(STACK).succeed("preview", *OTHER_TIER)
    causes = {
        resource.urn.split("::")[-1]: set(resource.causes)
        for resource in preview.report.resources
        if resource.operation == "replace"
    }
    assert causes["lustre-instance"] == {"capacityGib", "perUnitStorageThroughput"}


def test_another_gpu_machine_replaces_the_pool_and_ray_but_not_lustre(
    brought_up: SandboxOf,
) -> None:
    result = brought_up(STACK).succeed(
        "preview",
        "pools.gpu.machine_type=a3-ultragpu-8g",
        "catalog.zones={us-east1-b: {offers: [a3-ultragpu-8g], lustre: true}}",
    )
    # The providers replace what holds the pool's label in a field that they cannot change.
    assert replaced(result) == [
        "gpu-pool",
        "nccl-daemon-set",
        "nemo-rl-grpo-test1-job",
        "ray-a4-gpu-spot-cluster",
    ]


def test_a_changed_training_parameter_runs_the_job_again(brought_up: SandboxOf) -> None:
    result = brought_up(STACK).succeed("up", "jobs.nemo-rl-grpo-test1.max_steps=30")
    assert replaced(result) == ["nemo-rl-grpo-test1-job"]


@pytest.mark.thorough
def test_without_its_job_a_stack_has_a_cluster_of_plain_ray_and_all_else_as_it_was(
    brought_up: SandboxOf,
) -> None:
    found = changed(brought_up(STACK).succeed("up", "jobs=null"))
    assert set(found) == {
        "nemo-rl-grpo-test1",
        "nemo-rl-grpo-test1-job",
        "ray-a4-gpu-spot-launchers",
        "ray-a4-gpu-spot-launchers-files",
        "ray-a4-gpu-spot-cluster",
        *_MIRROR,
        *(it.replace("nvcr-io", "docker-io") for it in _MIRROR),
        "cpu-images-daemon-set",
    }
    # The image was the job's, of another registry.
    assert found["ray-a4-gpu-spot-cluster"] == "create-replacement"


@pytest.mark.thorough
def test_a_failed_delete_then_destroy_again_leaves_nothing(brought_up: SandboxOf) -> None:
    sandbox = brought_up(STACK)
    rule = Fail(kind="fail", type="gcp:lustre/instance:Instance", operation="delete")
    assert not sandbox.run("destroy", faults=Faults(rules=(rule,))).ok
    assert sandbox.succeed("destroy").cloud == {}


@pytest.mark.thorough
def test_a_protected_stack_refuses_to_be_destroyed_and_says_how(brought_up: SandboxOf) -> None:
    sandbox = brought_up(STACK)
    sandbox.succeed("up", "deletion_protection=true")
    refused = sandbox.run("destroy", "deletion_protection=true")
    assert not refused.ok
    assert any("protect" in message for message in refused.report.diagnostics)


@pytest.mark.parametrize(
    ("override", "ending"),
    [
        ("pools.gpu.machine_type=a4-highgpu-9g", 'can be added under "catalog.machine_types"'),
        ("lustre.capacity_gib=10000", "nearest: 9000, 18000"),
        (
            "hugging_face_token=",
            "pulumi config set --secret hugging_face_token --stack b200-lustre",
        ),
        ("gcp:project=null", "pulumi config set gcp:project PROJECT --stack b200-lustre"),
    ],
)
def test_bad_input_is_refused_before_any_resource_is_registered(
    empty: SandboxOf, monkeypatch: pytest.MonkeyPatch, override: str, ending: str
) -> None:
    monkeypatch.delenv("HUGGING_FACE_TOKEN")
    result = empty(STACK).run("preview", override)
    assert not result.ok
    assert result.report.resources == []
    lines = "\n".join(result.report.diagnostics).splitlines()
    assert any(line.endswith(ending) for line in lines), lines
    assert not any("Traceback" in line for line in lines)
