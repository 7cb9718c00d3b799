"""What a status in the state says of work that does not run."""

from collections.abc import Callable
from typing import Any

import pytest

from stacks.lost_work import failure, pods_lost, workers_lost

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
