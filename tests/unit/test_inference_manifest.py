"""The server's objects as plain data; what an engine makes of what it is told is not run here."""

from dataclasses import replace
from typing import Any

import pytest

from components.servers.engine import PORT, InferenceEngine
from components.servers.manifest import (
    Rollout,
    budget_spec,
    deployment_spec,
    metric_spec,
    scaled_metric,
    service_spec,
)
from tests.unit.inference_samples import FOLDER
from tests.unit.inference_samples import TGI as POD

ENGINES = list(InferenceEngine)


def template(**values: Any) -> dict[str, Any]:
    return deployment_spec(replace(POD, **values), replicas=1, rollout=Rollout.ONE_BY_ONE)[
        "template"
    ]


def container(**values: Any) -> dict[str, Any]:
    return template(**values)["spec"]["containers"][0]


def strategy(rollout: Rollout) -> dict[str, Any]:
    return deployment_spec(POD, replicas=1, rollout=rollout)["strategy"]


def test_one_by_one_a_pod_goes_before_its_successor_comes_so_that_a_full_quota_does_not_hang() -> (
    None
):
    steps = strategy(Rollout.ONE_BY_ONE)["rollingUpdate"]
    assert steps == {"maxSurge": 0, "maxUnavailable": 1}


def test_a_budget_lets_one_server_go_at_a_time_of_those_that_the_deployment_has() -> None:
    spec = deployment_spec(POD, replicas=2, rollout=Rollout.SURGE)
    budget = budget_spec("chat")
    assert budget["maxUnavailable"] == 1
    assert budget["selector"] == spec["selector"]


def test_the_only_server_is_not_taken_off_its_node_to_save_one() -> None:
    key = "cluster-autoscaler.kubernetes.io/safe-to-evict"
    assert template(stays=True)["metadata"]["annotations"][key] == "false"
    both = template(stays=True, folder=FOLDER)["metadata"]["annotations"]
    assert both == {key: "false", **FOLDER.annotations}
    assert "annotations" not in template()["metadata"]


def test_one_that_does_not_answer_gets_no_requests_long_before_it_is_ended() -> None:
    made = container()
    ready, live = made["readinessProbe"], made["livenessProbe"]
    assert ready["failureThreshold"] < live["failureThreshold"]


def test_the_token_comes_from_the_secret_and_is_in_no_manifest() -> None:
    (token,) = [it for it in container()["env"] if "valueFrom" in it]
    assert token == {
        "name": "HF_TOKEN",
        "valueFrom": {"secretKeyRef": {"name": "tokens", "key": "hf_api_token"}},
    }


def test_the_deployment_the_service_and_the_metric_find_the_same_pods() -> None:
    spec = deployment_spec(POD, replicas=1, rollout=Rollout.ONE_BY_ONE)
    (metric,) = metric_spec("chat", POD.engine)["metrics"]
    selector = spec["selector"]["matchLabels"]
    assert service_spec("chat")["selector"] == selector
    assert metric["pod"]["selector"]["matchLabels"] == selector
    assert selector.items() <= template()["metadata"]["labels"].items()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_autoscaler_reads_the_gauge_that_the_metric_names(engine: InferenceEngine) -> None:
    (source,) = metric_spec("chat", engine)["metrics"][0]["pod"]["containers"]
    gauge = source["metrics"][0]["gauge"]
    assert source["endpoint"] == {"port": PORT, "path": "/metrics"}
    assert scaled_metric("chat", engine) == f"autoscaling.gke.io|chat|{gauge['name']}"
