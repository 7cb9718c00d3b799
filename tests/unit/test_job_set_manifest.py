"""The JobSet's spec, as data; that a control plane runs it is for others."""

from dataclasses import replace
from typing import Any

import pytest

from components.base.naming import NameKind, check_name
from components.jobs.job_set_manifest import (
    OWN_VARIABLES,
    host_of_first,
    job_set_spec,
)
from tests.unit.job_set_samples import PODS


def job(**values: Any) -> dict[str, Any]:
    (one,) = job_set_spec(replace(PODS, **values))["replicatedJobs"]
    assert one["replicas"] == 1
    return one["template"]["spec"]


def pod(**values: Any) -> dict[str, Any]:
    return job(**values)["template"]["spec"]


def main(**values: Any) -> dict[str, Any]:
    (container,) = pod(**values)["containers"]
    return container


def variables(**values: Any) -> dict[str, Any]:
    return {it["name"]: it.get("value", it.get("valueFrom")) for it in main(**values)["env"]}


def test_every_pod_knows_the_first_of_them_its_own_number_and_how_many_there_are() -> None:
    own = variables(nodes=3)
    assert own.keys() == OWN_VARIABLES
    assert own["MASTER_ADDR"] == "train-node-0-0.train" == host_of_first("train")
    assert own["JAX_COORDINATOR_ADDRESS"] == f"{own['MASTER_ADDR']}:{own['MASTER_PORT']}"
    assert (own["NNODES"], own["GPUS_PER_NODE"]) == ("3", "8")
    index = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
    assert own["NODE_RANK"] == {"fieldRef": {"fieldPath": index}}


def test_the_users_variables_are_there_beside_ours() -> None:
    found = variables(environment={"LR": "1", "MASTER_ADDR": "mine"})
    assert found["LR"] == "1"
    assert found["MASTER_ADDR"] == "train-node-0-0.train"


def test_tokens_are_in_no_manifest() -> None:
    found = variables(secret_name="tokens", secret_keys=["HF_TOKEN"])
    assert found["HF_TOKEN"] == {"secretKeyRef": {"name": "tokens", "key": "HF_TOKEN"}}


def test_a_pod_that_fails_starts_all_of_them_again_as_often_as_it_may() -> None:
    assert job()["backoffLimit"] == 0
    assert pod()["restartPolicy"] == "Never"
    assert job_set_spec(replace(PODS, max_restarts=3))["failurePolicy"]["maxRestarts"] == 3


def test_a_machine_that_goes_away_counts_for_nothing() -> None:
    (rule,) = job()["podFailurePolicy"]["rules"]
    assert rule == {
        "action": "FailJob",
        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
    }
    gone = job_set_spec(PODS)["failurePolicy"]["rules"][0]
    assert gone["action"] == "RestartJobSetAndIgnoreMaxRestarts"
    assert gone["onJobFailureReasons"] == ["PodFailurePolicy"]


def test_a_run_that_takes_too_long_is_not_started_again() -> None:
    assert job(minutes=90)["activeDeadlineSeconds"] == 5400
    late = job_set_spec(PODS)["failurePolicy"]["rules"][1]
    assert (late["action"], late["onJobFailureReasons"]) == ("FailJobSet", ["DeadlineExceeded"])
    assert "activeDeadlineSeconds" not in job()


def test_a_name_leaves_room_for_those_of_pods() -> None:
    longest = "a" * 45
    assert check_name(NameKind.JOB_SET, longest) == longest
    assert len(f"{longest}-node-0-9999-abcde") == 63
    with pytest.raises(ValueError, match="has at most 45; nearest: a"):
        check_name(NameKind.JOB_SET, "a" * 46)
    with pytest.raises(ValueError, match="nearest: run"):
        check_name(NameKind.JOB_SET, "1run")
