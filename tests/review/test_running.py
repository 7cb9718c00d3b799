"""Running work that a change stops is named with its accelerators."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog
from components.job_attempt import ATTEMPT
from review.change import changes_of
from review.losses import losses
from review.markdown import markdown
from review.review import Review
from review.running import Stop, stops_of
from review.stack_review import StackReview
from stacks.refusal import CLUSTER, NAMESPACE
from stacks.workloads import DEPLOYMENT, JOB, JOB_SET, RAY_CLUSTER, RAY_JOB, WORKLOADS, devices_of
from tests.review.test_changes import step, urn


def pods(resource: str, count: int) -> dict[str, Any]:
    return {"spec": {"containers": [{"resources": {"limits": {resource: count}}}]}}


GPU, TPU = pods("nvidia.com/gpu", 8), pods("google.com/tpu", 4)
RAY = {
    "headGroupSpec": {"template": pods("cpu", 4)},
    "workerGroupSpecs": [{"replicas": 8, "template": GPU}],
}
JOBS = {"replicatedJobs": [{"template": {"spec": {"parallelism": 2, "template": GPU}}}]}
SLICES = {"workerGroupSpecs": [{"replicas": 2, "numOfHosts": 4, "template": TPU}]}


@pytest.mark.parametrize(
    ("token", "spec", "devices"),
    [
        (RAY_CLUSTER, RAY, {"GPU": 64}),
        (RAY_CLUSTER, SLICES, {"TPU": 32}),
        (RAY_JOB, {"rayClusterSpec": RAY}, {"GPU": 64}),
        (RAY_JOB, {"clusterSelector": {"ray.io/cluster": "a"}}, {}),
        (JOB, {"parallelism": 3, "template": GPU}, {"GPU": 24}),
        (JOB, {"template": pods("cpu", 1)}, {}),
        (JOB_SET, JOBS, {"GPU": 16}),
        (JOB_SET, {}, {}),
        (DEPLOYMENT, {"replicas": 2, "template": GPU}, {"GPU": 16}),
        (DEPLOYMENT, {"replicas": 0, "template": GPU}, {}),
    ],
)
def test_a_workloads_accelerators_are_those_of_its_pods(
    token: str, spec: dict[str, Any], devices: dict[str, int]
) -> None:
    assert devices_of(token, {"spec": spec}) == devices


def test_a_job_on_a_ray_cluster_has_the_clusters_accelerators() -> None:
    inputs = {"spec": {"clusterSelector": {"ray.io/cluster": "ours"}}}
    cluster = {"metadata": {"name": "ours"}, "spec": RAY}
    state = [{"urn": urn("ray", RAY_CLUSTER), "type": RAY_CLUSTER, "inputs": cluster}]
    changes = changes_of([step("training-job", "replace", RAY_JOB, old=inputs, keys=("spec",))])
    assert stops_of(changes, state) == [Stop("training-job", "RayJob", "replace", "64 GPUs")]


@pytest.mark.parametrize("token", WORKLOADS)
@pytest.mark.parametrize("operation", ["replace", "delete", "delete-replaced"])
def test_every_workload_that_goes_is_named(token: str, operation: str) -> None:
    (found,) = stops_of(changes_of([step("it", operation, token)]), ())
    assert (found.resource, found.devices) == ("it", "")


def test_a_job_that_had_failed_is_made_anew_and_stops_nothing() -> None:
    again = {"metadata": {"annotations": {ATTEMPT: "1"}}}
    assert stops_of(changes_of([step("it", "replace", RAY_JOB, old={}, new=again)]), ()) == []
    (found,) = stops_of(changes_of([step("it", "replace", RAY_JOB, old=again, new=again)]), ())
    assert found.resource == "it"


@pytest.mark.parametrize("operation", ["create", "update", "same"])
def test_what_stays_is_not(operation: str) -> None:
    assert stops_of(changes_of([step("it", operation, RAY_JOB)]), ()) == []


def test_the_verdict_does_not_say_that_nothing_is_lost() -> None:
    stop = Stop("training-job", "RayJob", "replace", "64 GPUs")
    one = StackReview("dev", "changed", stops=(stop,))
    text = markdown(Review("main", "0123456789abcdef", (one,)))
    verdict = next(line for line in text.splitlines() if line.startswith("Against"))
    assert verdict.endswith(
        "**Running work stops: `training-job` `RayJob, 64 GPUs`.** "
        "No machine and no stored data is lost that was not agreed to."
    )


def test_a_run_without_protection_says_what_it_takes_away() -> None:
    cluster = {"metadata": {"name": "ours"}, "spec": RAY}
    job = {"spec": {"clusterSelector": {"ray.io/cluster": "ours"}}}
    lustre = {"capacityGib": "9000", "perUnitStorageThroughput": "1000"}
    steps = [
        step("ray-cluster", "same", RAY_CLUSTER, old=cluster),
        step("training-job", "delete", RAY_JOB, old=job),
        step(
            "lustre-instance",
            "replace",
            "gcp:lustre/instance:Instance",
            old=lustre,
            new={**lustre, "perUnitStorageThroughput": "500"},
            keys=("perUnitStorageThroughput",),
        ),
        step("cpu-pool", "update", old={"nodeConfig": {"machineType": "e2-standard-4"}}),
    ]
    assert list(losses(steps, Catalog.load())) == [
        "lustre-instance is replaced (perUnitStorageThroughput: 1000 -> 500): "
        "all data on 9000 GiB lost",
        "running work stops: training-job (RayJob, 64 GPUs) is deleted",
    ]


def test_objects_that_go_with_their_cluster_are_told_by_the_cluster() -> None:
    steps = [
        step("gke-cluster", "replace", CLUSTER, keys=("name",)),
        step("ours", "replace", NAMESPACE),
    ]
    lines = list(losses(steps, Catalog.load()))
    assert [line.partition(" is ")[0] for line in lines] == ["gke-cluster"]
    assert len(list(losses(steps[1:], Catalog.load()))) == 1
