"""Running work that a change stops is named with its accelerators."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog
from review.losses import losses
from review.markdown import markdown
from review.review import Review
from review.stack_review import StackReview
from stacks.refusal import CLUSTER, NAMESPACE, NODE_POOL
from stacks.running_work import Stop
from stacks.workloads import (
    DEPLOYMENT,
    JOB,
    JOB_SET,
    RAY_CLUSTER,
    RAY_JOB,
    devices_of,
    devices_under,
)
from tests.review.test_changes import step


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
    job = {"spec": {"clusterSelector": {"ray.io/cluster": "ours"}}}
    cluster = {"metadata": {"name": "ours"}, "spec": RAY}
    assert devices_under(RAY_JOB, job, [cluster]) == "64 GPUs"
    assert devices_under(RAY_JOB, job, [{**cluster, "metadata": {"name": "theirs"}}]) == ""


def test_the_verdict_does_not_say_that_nothing_is_lost() -> None:
    stop = Stop("training-job", "jobs.training runs on 64 GPUs", "is replaced", "spec")
    one = StackReview("dev", "changed", stops=(stop,))
    assert verdict(one).endswith(
        "**Running work stops: `jobs.training runs on 64 GPUs`.** "
        "No machine and no stored data is lost that was not agreed to."
    )
    assert Review("main", "", (one,)).exit_code == 0


def test_work_that_a_protected_stack_keeps_is_refused_with_what_to_write() -> None:
    stop = Stop("training-job", "jobs.training runs on 64 GPUs", "is replaced", "replaced")
    entry = "{resource: training-job, to: config 00000000}"
    one = StackReview("dev", "changed", stops=(stop,), not_agreed=(stop,), stop_entries=(entry,))
    assert Review("main", "", (one,)).exit_code == 3
    assert "**Refused: 1 thing to agree to" in verdict(one)
    assert "lost that was not agreed to" not in verdict(one)
    text = markdown(Review("main", "0123456789abcdef", (one,)))
    assert f"  - {entry}" in text


def verdict(one: StackReview) -> str:
    text = markdown(Review("main", "0123456789abcdef", (one,)))
    return next(line for line in text.splitlines() if line.startswith("Against"))


def test_a_run_without_protection_says_what_it_takes_away() -> None:
    lustre = {"capacityGib": "9000", "perUnitStorageThroughput": "1000"}
    steps = [
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
        "all data on 9000 GiB lost"
    ]


def test_a_run_says_of_every_pool_that_goes_that_it_takes_its_nodes_away() -> None:
    steps = [
        step(
            f"{kind}-pool",
            "replace",
            NODE_POOL,
            old={"name": "a", "nodeConfig": {"machineType": machine}},
            new={"name": "b", "nodeConfig": {"machineType": machine}},
            keys=("name",),
        )
        for kind, machine in (("cpu", "e2-standard-4"), ("gpu", "g2-standard-8"))
    ]
    gpus, cpus = losses(steps, Catalog.load())
    assert gpus.startswith("gpu-pool is replaced (name: a -> b): ")
    assert cpus == "cpu-pool is replaced (name: a -> b): its nodes and their pods"
    gone = [*steps, step("gke-cluster", "replace", CLUSTER, keys=("name",))]
    assert not any(it.startswith("cpu-pool") for it in losses(gone, Catalog.load()))


def test_objects_that_go_with_their_cluster_are_told_by_the_cluster() -> None:
    steps = [
        step("gke-cluster", "replace", CLUSTER, keys=("name",)),
        step("ours", "replace", NAMESPACE),
    ]
    lines = list(losses(steps, Catalog.load()))
    assert [line.partition(" is ")[0] for line in lines] == ["gke-cluster"]
    assert len(list(losses(steps[1:], Catalog.load()))) == 1
