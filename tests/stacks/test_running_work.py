"""A running job that a change stops is named in the preview, and none that goes on is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.stacks.conftest import Sandbox

pytestmark = pytest.mark.thorough

JOB = "nemo-rl-grpo-test1"
STOPS = f"jobs.{JOB} runs on 64 GPUs and is replaced. It starts again from the last checkpoint in "
BEGINS = f"jobs.{JOB} runs on 64 GPUs and is replaced. It begins at the beginning: its checkpoints "
GO_WITH_IT = f"{BEGINS}go with lustre-instance; "
STAY_BEHIND = f"{BEGINS}are in /lustre/nemo_rl_qwen_72b_ds_cp/{JOB}; "
# Of 8 machines, in README.md.
WHOLE = 261
GOES = f"{JOB}-job runs on 64 GPUs and is deleted"
# The head of its RayCluster stands there.
HEADLESS = "pools.cpu.max_pods_per_node=64"
NEW_DISKS = "pools.cpu.disk.size_gb=300"
LOSES = (
    f"jobs.{JOB} runs on 64 GPUs and loses the nodes of cpu-pool. It starts again from the last "
)

LOSES_ONE = LOSES.replace("cpu-pool", "cpu-pool, one after the other")


@pytest.mark.parametrize(
    ("override", "said"),
    [
        (f"jobs.{JOB}.max_steps=77", STOPS),
        # With its RayCluster.
        ("ray.ray-a4-gpu-spot.head.requests.cpu=6", STOPS),
        ("jobs={}", GOES),
        (HEADLESS, LOSES),
        (NEW_DISKS, LOSES_ONE),
        ("cluster.release_channel=RAPID", "is interrupted when GKE upgrades the nodes of cpu-pool"),
        ("labels.purpose=other", None),
    ],
)
def test_a_preview_names_the_job_that_a_change_stops(
    brought_up: Callable[[str], Sandbox], override: str, said: str | None
) -> None:
    lines = brought_up("b200-lustre").succeed("preview", override).report.diagnostics
    told = [line for line in lines if " runs on " in line]
    assert len(told) == (said is not None)
    assert all(str(said) in line for line in told)


@pytest.mark.parametrize(
    ("stack", "override", "said"),
    [
        (
            "kueue-mixed",
            "pools.gpu.capacity.mode=spot",
            "on 4 GPUs and loses the nodes of gpu-pool",
        ),
        ("tpu-elastic", "pools.v6e-16.slices=1", "32 TPUs and loses the nodes of v6e-16-1-pool"),
        # With the storage that they mount.
        ("b200-lustre", "lustre.filesystem=other", GO_WITH_IT),
        ("b200-lustre", f"jobs.{JOB}.checkpoints.directory=other", STAY_BEHIND),
        ("b200-lustre", "pools.gpu.nodes=4", f"; an hour of its machines costs {WHOLE} USD"),
        ("kueue-mixed", "buckets.bucket.name=other-bucket", "on 4 GPUs and is replaced"),
        ("tpu-elastic", "buckets.bucket.name=other-bucket", "on 32 TPUs and is replaced"),
    ],
)
def test_a_preview_names_the_job_that_loses_nodes_or_storage(
    brought_up: Callable[[str], Sandbox], stack: str, override: str, said: str
) -> None:
    lines = brought_up(stack).succeed("preview", override).report.diagnostics
    (told,) = [line for line in lines if " runs on " in line]
    assert said in told


def test_an_up_says_it_and_leaves_nothing_that_a_destroy_would_ask_for(
    brought_up: Callable[[str], Sandbox],
) -> None:
    sandbox = brought_up("b200-lustre")
    done = sandbox.succeed("up", f"jobs.{JOB}.max_steps=77")
    assert any(STOPS in line for line in done.report.diagnostics)
    sandbox.succeed("destroy")


def test_a_protected_stack_keeps_it_until_that_is_agreed_to(
    empty: Callable[[str], Sandbox],
) -> None:
    protected = "deletion_protection=true"
    sandbox = empty("b200-lustre")
    sandbox.succeed("up", protected)
    for override, word in (
        (f"jobs.{JOB}.max_steps=77", r"replaced [0-9a-f]{8}"),
        ("ray.ray-a4-gpu-spot.head.requests.cpu=6", r"replaced [0-9a-f]{8}"),
        ("jobs={}", "removed"),
        (HEADLESS, r"replaced [0-9a-f]{8}"),
        (NEW_DISKS, r"replaced [0-9a-f]{8}"),
    ):
        refused = sandbox.run("preview", protected, override)
        assert not refused.ok
        said = "\n".join(refused.report.diagnostics)
        (entry,) = set(re.findall(rf"- (\{{resource: {JOB}-job, to: {word}\}})", said))
        assert sandbox.succeed("preview", protected, override, f"acknowledge=[{entry}]").ok
    sandbox.succeed("preview", protected, "labels.purpose=other")
