"""What a status on record says of work that does not run, and another attempt of what failed."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pytest

from components.job_attempt import ATTEMPT
from stacks.lost_work import failure, pods_lost, run_again, workers_lost
from stacks.on_record import Record
from stacks.workloads import RAY_JOB
from tests.conftest import Register, Registered

_WHOLE_ONCE = {"type": "RayClusterProvisioned", "status": "True"}
_HEAD = {"type": "HeadPodReady", "status": "True"}
_NO_HEAD = {"type": "HeadPodReady", "status": "False"}


def ray(*conditions: dict[str, str], **status: Any) -> dict[str, Any]:
    return {"desiredWorkerReplicas": 8, "conditions": list(conditions), **status}


def job_set(active: int, ready: int) -> dict[str, Any]:
    return {"replicatedJobsStatus": [{"name": "node", "active": active, "ready": ready}]}


def failed(**words: str) -> dict[str, Any]:
    return {"conditions": [{"type": "Failed", "status": "True", **words}]}


@pytest.mark.parametrize(
    ("look", "status", "said"),
    [
        (workers_lost, ray(_WHOLE_ONCE, _HEAD), "0 of 8 workers run"),
        (workers_lost, ray(_WHOLE_ONCE, _HEAD, readyWorkerReplicas=7), "7 of 8 workers run"),
        (
            workers_lost,
            ray(_WHOLE_ONCE, _NO_HEAD, readyWorkerReplicas=8),
            "its head does not run, and 8 of 8 workers run",
        ),
        (workers_lost, ray(_WHOLE_ONCE, _NO_HEAD, state="suspended"), "it is suspended"),
        (
            failure,
            {"jobDeploymentStatus": "Failed", "reason": "AppFailed", "message": "exit 7"},
            "exit 7",
        ),
        (
            failure,
            {"jobDeploymentStatus": "Failed", "reason": "AppFailed"},
            "AppFailed",
        ),
        (
            failure,
            failed(reason="FailedJobs", message="jobset failed"),
            "jobset failed",
        ),
        (failure, failed(reason="BackoffLimitExceeded"), "BackoffLimitExceeded"),
        (pods_lost, job_set(active=1, ready=0), "not all of its pods run"),
    ],
)
def test_work_that_does_not_run_is_told(
    look: Callable[[dict[str, Any]], str | None], status: dict[str, Any], said: str
) -> None:
    assert look(status) == said


@pytest.mark.parametrize(
    ("look", "status"),
    [
        *((look, {}) for look in (workers_lost, failure, pods_lost)),
        # Workers that have not come yet are no workers lost.
        (workers_lost, ray(_HEAD)),
        (workers_lost, ray(_WHOLE_ONCE, _HEAD, readyWorkerReplicas=8)),
        (failure, {"jobDeploymentStatus": "Running"}),
        (failure, {"conditions": [{"type": "Failed", "status": "False"}]}),
        (pods_lost, job_set(active=1, ready=1)),
        # Suspended by its queue, or done.
        (pods_lost, job_set(active=0, ready=0)),
    ],
)
def test_work_that_runs_or_is_not_known_is_not(
    look: Callable[[dict[str, Any]], str | None], status: dict[str, Any]
) -> None:
    assert look(status) is None


def made(register: Register, trigger: str | None = None, **outputs: Any) -> Registered:
    """A RayJob of a program whose engine has these outputs of it on record."""

    def program() -> None:
        urn = f"urn:pulumi:stack::project::{RAY_JOB}::training-job"
        record = Record({urn: {"type": RAY_JOB, "outputs": outputs}} if outputs else {})
        k8s.apiextensions.CustomResource(
            "training-job",
            api_version="ray.io/v1",
            kind="RayJob",
            metadata={"name": "training", "annotations": {"own": "kept"}},
            opts=pulumi.ResourceOptions(
                replacement_trigger=trigger, transformations=[partial(run_again, record)]
            ),
        )

    return register(program).named("training-job")


def attempt(number: int) -> dict[str, Any]:
    return {"metadata": {"annotations": {ATTEMPT: str(number)}}}


_FAILED = {"status": {"jobDeploymentStatus": "Failed"}}


@pytest.mark.parametrize(
    ("outputs", "number"),
    [
        (_FAILED, 1),
        ({**attempt(1), **_FAILED}, 2),
        # The one that was made anew is left alone.
        (attempt(1), 1),
    ],
)
def test_a_failed_job_is_another_attempt(
    register: Register, outputs: dict[str, Any], number: int
) -> None:
    job = made(register, **outputs)
    assert job.inputs["metadata"]["annotations"] == {"own": "kept", ATTEMPT: str(number)}
    assert job.replacement_trigger == [None, number]
    assert made(register, "own", **outputs).replacement_trigger == ["own", number]


@pytest.mark.parametrize("outputs", [{}, {"status": {"jobDeploymentStatus": "Running"}}])
def test_a_job_that_did_not_fail_is_as_it_was(register: Register, outputs: dict[str, Any]) -> None:
    job = made(register, **outputs)
    assert job.inputs["metadata"]["annotations"] == {"own": "kept"}
    # The engine takes a first trigger for no change: it is there before it is needed.
    assert job.replacement_trigger == [None, 0]
    assert made(register, "own", **outputs).replacement_trigger == "own"
