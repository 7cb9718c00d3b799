"""Scripts on one node of a stack that has no JobSets: plain Jobs, like them in all that a script
sees. That they run is for the real control plane to show."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aistack.errors import VerbError
from aistack.kinds import Shape
from aistack.stack import Config
from aistack.submit.preflight import checked
from aistack.submit.request import Request
from components.base.labels import MANAGED_BY
from components.queues.frameworks import DEFAULT_FRAMEWORKS
from components.queues.labels import QUEUE_LABEL
from kube.objects import JsonObject, labels_of
from stacks.tokens import SECRETS
from tests.conftest import changed, stack_config

ALL_SECRETS = frozenset(SECRETS)
DEV = stack_config("dev")
SMALL: dict[str, Any] = {"image": "python:3.12-slim", "requests": {"cpu": 1, "memory_gib": 2}}
JOB_SETS = [*DEFAULT_FRAMEWORKS, "jobset.x-k8s.io/jobset"]


def made(
    script: Path, values: dict[str, Any] = DEV, shape: Shape | None = None, **fields: Any
) -> list[JsonObject]:
    """What goes with it, and at last the job."""
    request = Request(name="mine", files=[script], shape=shape, fields={**SMALL, **fields})
    parcel = checked(request, Config(values, ALL_SECRETS), (), "any").parcel
    return [it.obj for it in (*parcel.beside, parcel.work)]


def pod_of(job: JsonObject) -> JsonObject:
    return job["spec"]["template"]["spec"]


def variables(job: JsonObject) -> dict[str, Any]:
    (container,) = pod_of(job)["containers"]
    return {it["name"]: it.get("value", it.get("valueFrom")) for it in container["env"]}


def test_a_stack_without_job_sets_takes_a_script_as_a_job(script: Path) -> None:
    files, policy, job = made(script)
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    assert {labels_of(it)[MANAGED_BY] for it in (files, policy, job)} == {"aistack"}
    assert "suspend" not in job["spec"]
    assert "jobset" not in json.dumps([files, policy, job])


def test_only_pods_of_the_job_reach_its_pods(script: Path) -> None:
    _, policy, _ = made(script)
    own = {"matchLabels": {"batch.kubernetes.io/job-name": "mine"}}
    assert policy["spec"]["podSelector"] == own
    assert policy["spec"]["ingress"][0]["from"][0] == {"podSelector": own}


def test_the_script_finds_itself_as_the_only_one(script: Path) -> None:
    *_, job = made(script, environment={"WHERE": "tcp://$(MASTER_ADDR):1"})
    own = variables(job)
    assert own["MASTER_ADDR"] == "localhost"
    assert own["JAX_COORDINATOR_ADDRESS"] == f"localhost:{own['MASTER_PORT']}"
    assert own["NNODES"] == "1"
    assert own["WHERE"] == "tcp://$(MASTER_ADDR):1"
    index = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
    assert own["NODE_RANK"] == {"fieldRef": {"fieldPath": index}}
    assert job["spec"]["completionMode"] == "Indexed"


def test_numbers_are_as_an_api_server_takes_them(script: Path) -> None:
    *_, job = made(script, minutes=5)
    assert {type(job["spec"][it]) for it in ("completions", "activeDeadlineSeconds")} == {int}


def test_retries_are_the_jobs_and_a_machine_that_goes_away_is_none(script: Path) -> None:
    *_, job = made(script, retries=3, minutes=5)
    assert job["spec"]["backoffLimit"] == 3
    assert job["spec"]["activeDeadlineSeconds"] == 300
    (rule,) = job["spec"]["podFailurePolicy"]["rules"]
    assert rule["action"] == "Ignore"
    assert rule["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]
    *_, again = made(script)
    assert again["spec"]["backoffLimit"] == 0


def test_a_job_in_a_queue_is_suspended_until_it_is_let_in(script: Path) -> None:
    *_, job = made(script, queue="lq", pool="gpu", gpus=1)
    assert job["spec"]["suspend"] is True
    assert labels_of(job)[QUEUE_LABEL] == "lq"
    (container,) = pod_of(job)["containers"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"


def test_a_queue_that_takes_no_jobs_is_refused(script: Path) -> None:
    values = changed(DEV, queues__frameworks=["ray.io/raycluster"])
    with pytest.raises(VerbError, match=r"without batch/job jobs\.mine would wait in its queue"):
        made(script, values, queue="lq")
    *_, job = made(script, values)
    assert job["kind"] == "Job"


def test_where_there_are_job_sets_it_is_one_unless_a_job_is_asked_for(script: Path) -> None:
    values = changed(DEV, queues__frameworks=JOB_SETS)
    kinds = {shape: made(script, values, shape)[-1]["kind"] for shape in (None, *Shape)}
    assert kinds == {None: "JobSet", Shape.JOB: "Job", Shape.JOB_SET: "JobSet"}


def test_a_queue_that_takes_jobs_alone_takes_one(script: Path) -> None:
    """The controller came with a job of the stack's own, which waits in no queue."""
    own = {"type": "script", "command": ["true"], **SMALL}
    values = changed(DEV, jobs={"own": own})
    assert made(script, values)[-1]["kind"] == "JobSet"
    assert made(script, values, queue="lq")[-1]["kind"] == "Job"


def test_a_stack_without_queues_takes_one(script: Path) -> None:
    values = changed(DEV, queues=None, ray={})
    assert made(script, values)[-1]["kind"] == "Job"


def test_a_job_of_a_team_has_its_namespace_its_queue_and_its_account(script: Path) -> None:
    values = changed(DEV, teams={"research": {"queue": "gpus"}})
    request = Request(name="mine", files=[script], fields={**SMALL, "pool": "gpu", "gpus": 1})
    found = checked(
        replace(request, team="research"), Config(values, ALL_SECRETS), (), "any"
    ).parcel
    assert (found.work.kind.name, found.namespace, found.queue) == ("Job", "research", "research")
    assert pod_of(found.work.obj)["serviceAccountName"] == "team"
    assert [it.kind.name for it in found.beside] == ["ConfigMap"]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a JobSet that the stack has no controller for": (
        {"shape": Shape.JOB_SET},
        "the stack would have to change for this job: jobset",
    ),
    "several nodes that the stack has no controller for": (
        {"fields": {**SMALL, "nodes": 2}},
        "--nodes: 2 nodes start together as a JobSet, whose controller this stack does not have; "
        "nearest: --nodes 1",
    ),
    "nodes that are no number": (
        {"fields": {**SMALL, "nodes": "two"}},
        'jobs.mine.nodes: "two" is no whole number; nearest: 1',
    ),
    "a Job on several nodes": (
        {"shape": Shape.JOB, "fields": {**SMALL, "nodes": 2}},
        "--as: a Job has one node here, and mine has 2; nearest: --nodes 1, or --as jobset",
    ),
    "a job on a Ray cluster as another kind": (
        {"ray": "dev", "shape": Shape.JOB, "fields": {}},
        "--as: mine has no pods of its own whose kind could be said",
    ),
    "a script on pods of its own without an image": (
        {"shape": Shape.JOB, "fields": {}},
        "--image: missing",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_run_is_refused(script: Path, name: str) -> None:
    asked, told = REFUSED[name]
    request = replace(Request(name="mine", files=[script], fields=SMALL), **asked)
    with pytest.raises(VerbError) as refused:
        checked(request, Config(DEV, ALL_SECRETS), (), "dev")
    assert told in str(refused.value)
