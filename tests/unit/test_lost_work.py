"""What a status on record says of work that does not run, and another attempt of what failed."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pytest

from components.jobs.attempt import ATTEMPT
from stacks import transformations
from stacks.config import validate
from stacks.lost_work import failure, pods_lost, run_again, told, workers_lost
from stacks.on_record import Record
from stacks.plan import Plan
from stacks.workloads import JOB_SET, RAY_CLUSTER, RAY_JOB
from tests.conftest import Register, Registered, changed, stack_config
from tests.programs import WITH_ALL_SECRETS

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


ON_RAY = {"type": "script", "command": ["python", "-c", "pass"], "ray": "lab", "retries": 2}
PLAN = validate(changed(stack_config("lab"), jobs__tune=ON_RAY), secrets_set=WITH_ALL_SECRETS)


def told_of(plan: Plan, token: str, name: str, status: dict[str, Any]) -> list[str]:
    outputs = {"type": token, "outputs": {"status": status}}
    return list(told(plan, Record({f"urn:pulumi:s::p::{token}::{name}": outputs})))


@pytest.mark.parametrize(
    ("token", "name", "status", "said"),
    [
        (
            RAY_CLUSTER,
            "lab-cluster",
            ray(_WHOLE_ONCE, _HEAD, readyWorkerReplicas=7),
            "ray.lab: 7 of 8 workers run. They come back by themselves, as soon as there are "
            "machines; jobs.classifier goes on from its last checkpoint, max_failures (3) times; "
            "jobs.tune does what its command does, and after a failure again, retries (2) times",
        ),
        (
            RAY_JOB,
            "classifier-job",
            {"jobDeploymentStatus": "Failed", "message": "exit 7"},
            "jobs.classifier: it failed: exit 7. It is made anew, and goes on from its last "
            "checkpoint where it has any",
        ),
        (
            JOB_SET,
            "cifar-10-job-set",
            job_set(active=1, ready=0),
            "jobs.cifar-10: not all of its pods run. They come back by themselves, as soon as "
            "there are machines",
        ),
    ],
)
def test_what_stands_still_on_record_is_told_by_its_place_in_the_config(
    token: str, name: str, status: dict[str, Any], said: str
) -> None:
    assert told_of(PLAN, token, name, status) == [f"{said}. So it was at the last refresh"]
    assert told_of(PLAN, token, "other", status) == []


def test_it_is_warned_of_before_the_first_resource(
    register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("pulumi.log.warn", said.append)
    outputs = {"status": {"jobDeploymentStatus": "Failed"}}
    urn = f"urn:pulumi:s::p::{RAY_JOB}::classifier-job"
    record = Record({urn: {"type": RAY_JOB, "outputs": outputs}})
    register(lambda: transformations.install(PLAN, record))
    assert [it for it in said if it.startswith("jobs.classifier: it failed: no reason. ")]


@pytest.mark.parametrize(
    ("stack", "cluster", "after_loss"),
    [
        (
            "tpu-multislice",
            "maxtext-tpu-cluster-cluster",
            "fails, and goes on from its last checkpoint, retries (",
        ),
        (
            "tpu-elastic",
            "maxtext-tpu-cluster-cluster",
            "goes on from its last checkpoint with the slices left, max_failures (",
        ),
        (
            "b200-lustre",
            "ray-a4-gpu-spot-cluster",
            "waits for all of them, and goes on from its last checkpoint",
        ),
    ],
)
def test_what_a_training_does_without_a_machine_is_told_with_its_cluster(
    stack: str, cluster: str, after_loss: str
) -> None:
    plan = validate(stack_config(stack), secrets_set=WITH_ALL_SECRETS)
    (line,) = told_of(plan, RAY_CLUSTER, cluster, ray(_WHOLE_ONCE, _HEAD))
    (job,) = plan.ray_jobs
    assert f"; jobs.{job} {after_loss}" in line


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
