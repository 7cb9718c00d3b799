"""Machines that Google takes back and jobs that fail for good: what `up` says, and runs again.

In memory no job computes anything: one whose machines are there ends at the next look.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sandbox.cloud.kinds.cluster import Cluster
from sandbox.faults import FailJob, Faults, Preempt
from tests.parts.sampling import a_sample
from tests.stacks.conftest import Sandbox, changed, replaced, unexpected

SandboxOf = Callable[[str], Sandbox]
SPOT = "pools.gpu.capacity={mode: spot}"
FROM_ZERO = "pools.gpu.autoscaling={min: 0, max: 10}"

# Of each stack the pool that goes, what puts it on spot, what is said then, and what its job does.
PREEMPTED = {
    "b200-lustre": ("gpu-pool", (), "0 of 8 workers run", "waits for all of them"),
    "tpu-elastic": ("v6e-16-1", (), "4 of 8 workers run", "the slices left"),
    "lab": ("h200*", (), "0 of 1 workers run", "max_failures (3) times"),
    "verl-b200": ("gpu-pool", (SPOT, FROM_ZERO), "0 of 2 workers run", "waits for all of them"),
    "gcsfuse-checkpoint": ("gpu-pool", (SPOT,), "0 of 4 workers run", "max_failures (3) times"),
}


def lost(pool: str) -> Faults:
    return Faults(rules=(Preempt(kind="preempt", pool=pool),))


def told(sandbox: Sandbox, *overrides: str, faults: Faults | None = None) -> str:
    found = sandbox.run("up", *overrides, faults=faults)
    assert found.ok, found.report.diagnostics
    assert changed(found) == {}
    return "\n".join(unexpected(found))


def without_node(sandbox: Sandbox) -> list[str]:
    return [pod.name for pod in sandbox.pods() if not pod.node]


def jobs(sandbox: Sandbox, api_version: str, kind: str) -> list[dict[str, Any]]:
    clusters = sandbox.clusters
    kubes = [clusters.kube(it) for it in clusters.cloud.find(Cluster.token)]
    names = [name.rpartition("/")[2] for kube in kubes for name in kube.inventory().get(kind, [])]
    refs = [ref for kube in kubes for name in names for ref in kube.named(api_version, kind, name)]
    return [found for kube in kubes for ref in refs if (found := kube.get(ref))]


@pytest.mark.thorough
@pytest.mark.parametrize("stack", a_sample(list(PREEMPTED), 2))
def test_after_a_preemption_up_says_what_does_not_run_until_the_machines_are_back(
    stack: str, empty: SandboxOf
) -> None:
    pool, overrides, what, then = PREEMPTED[stack]
    sandbox = empty(stack)
    sandbox.succeed("up", *overrides)
    assert sandbox.run("refresh", *overrides, faults=lost(pool)).ok
    assert without_node(sandbox) != []
    said = told(sandbox, *overrides, faults=lost(pool))
    assert what in said
    assert then in said

    sandbox.succeed("refresh", *overrides)
    assert without_node(sandbox) == []
    assert told(sandbox, *overrides) == ""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("stack", "job"), [("b200-lustre", "nemo-rl-grpo-test1"), ("tpu-elastic", "maxtext-elastic-8b")]
)
def test_a_job_that_failed_for_good_is_made_anew_once(
    stack: str, job: str, brought_up: SandboxOf
) -> None:
    sandbox = brought_up(stack)
    failed = Faults(rules=(FailJob(kind="fail-job", job=job),))
    assert sandbox.run("refresh", faults=failed).ok
    preview = sandbox.succeed("preview")
    assert replaced(preview) == [f"{job}-job"]
    said = f"jobs.{job}: it failed: the simulated job was told to fail. It is made anew"
    assert said in "\n".join(preview.report.diagnostics)

    sandbox.succeed("up")
    (again,) = jobs(sandbox, "ray.io/v1", "RayJob")
    assert again["metadata"]["annotations"]["gke-ai-stacks/attempt"] == "1"
    assert again["status"]["jobDeploymentStatus"] != "Failed"
    sandbox.succeed("refresh")
    assert told(sandbox) == ""
