"""The server's objects as plain data; what an engine makes of what it is told is not run here."""

from dataclasses import replace
from typing import Any

import pytest

from components.inference_engine import PORT, InferenceEngine
from components.inference_manifest import (
    Rollout,
    autoscaler_spec,
    budget_spec,
    deployment_spec,
    metric_spec,
    scaled_metric,
    service_spec,
)
from tests.conftest import NO_RAW_PACKETS
from tests.unit.inference_samples import FOLDER, GEMMA
from tests.unit.inference_samples import TGI as POD

ENGINES = list(InferenceEngine)


def template(**values: Any) -> dict[str, Any]:
    return deployment_spec(replace(POD, **values), replicas=1, rollout=Rollout.ONE_BY_ONE)[
        "template"
    ]


def container(**values: Any) -> dict[str, Any]:
    return template(**values)["spec"]["containers"][0]


def environment(**values: Any) -> dict[str, str]:
    return {it["name"]: it["value"] for it in container(**values)["env"] if "value" in it}


def strategy(rollout: Rollout) -> dict[str, Any]:
    return deployment_spec(POD, replicas=1, rollout=rollout)["strategy"]


def test_one_by_one_a_pod_goes_before_its_successor_comes_so_that_a_full_quota_does_not_hang() -> (
    None
):
    steps = strategy(Rollout.ONE_BY_ONE)["rollingUpdate"]
    assert steps == {"maxSurge": 0, "maxUnavailable": 1}


def test_a_successor_beside_a_pod_is_ready_before_that_goes() -> None:
    steps = strategy(Rollout.SURGE)["rollingUpdate"]
    assert steps == {"maxSurge": 1, "maxUnavailable": 0}


def test_recreated_pods_come_once_those_before_are_gone() -> None:
    assert strategy(Rollout.RECREATE) == {"type": "Recreate"}


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


def test_replicas_are_said_unless_an_autoscaler_decides() -> None:
    assert deployment_spec(POD, replicas=3, rollout=Rollout.ONE_BY_ONE)["replicas"] == 3
    assert "replicas" not in deployment_spec(POD, replicas=None, rollout=Rollout.ONE_BY_ONE)


@pytest.mark.parametrize("minutes", [5, 40])
def test_the_rollout_and_the_first_start_have_the_time_that_was_given(minutes: int) -> None:
    spec = deployment_spec(replace(POD, minutes=minutes), replicas=1, rollout=Rollout.ONE_BY_ONE)
    assert spec["progressDeadlineSeconds"] == minutes * 60
    probe = container(minutes=minutes)["startupProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] == minutes * 60


@pytest.mark.parametrize("engine", ENGINES)
def test_every_probe_asks_the_servers_health_on_its_port(engine: InferenceEngine) -> None:
    made = container(engine=engine)
    (port,) = made["ports"]
    assert port["containerPort"] == 8000
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert made[probe]["httpGet"] == {"path": "/health", "port": port["name"]}


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


def test_it_gets_what_it_asks_for_so_that_a_queue_counts_all_of_it() -> None:
    amounts = {"cpu": "4", "memory": "30Gi", "ephemeral-storage": "20Gi", "nvidia.com/gpu": "2"}
    assert container()["resources"] == {"requests": amounts, "limits": amounts}


def test_shared_memory_has_a_limit_of_its_own() -> None:
    volume = template(shm_gib=3)["spec"]["volumes"][0]
    assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": "3Gi"}
    assert {"name": volume["name"], "mountPath": "/dev/shm"} in container()["volumeMounts"]


def test_it_runs_on_the_gpu_nodes_that_it_is_told() -> None:
    spec = template()["spec"]
    assert spec["nodeSelector"] == {"cloud.google.com/gke-accelerator": "nvidia-l4"}
    assert spec["tolerations"][0]["key"] == "nvidia.com/gpu"


def test_pods_carry_the_queue_and_the_label_that_has_the_queue_look_at_pods() -> None:
    labels = template()["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "lq"
    assert labels["kueue-job"] == "true"
    without = template(queue=None)["metadata"]["labels"]
    assert not [label for label in without if "kueue" in label]


def test_a_priority_in_the_queue_is_a_label_of_pods_that_are_in_one() -> None:
    label = "kueue.x-k8s.io/priority-class"
    assert template(workload_priority="first")["metadata"]["labels"][label] == "first"
    assert label not in template()["metadata"]["labels"]
    assert label not in template(workload_priority="first", queue=None)["metadata"]["labels"]


def test_a_priority_is_said_only_where_there_is_one() -> None:
    assert template()["spec"]["priorityClassName"] == "high"
    assert "priorityClassName" not in template(priority_class=None)["spec"]


def test_the_deployment_the_service_and_the_metric_find_the_same_pods() -> None:
    spec = deployment_spec(POD, replicas=1, rollout=Rollout.ONE_BY_ONE)
    (metric,) = metric_spec("chat", POD.engine)["metrics"]
    selector = spec["selector"]["matchLabels"]
    assert service_spec("chat")["selector"] == selector
    assert metric["pod"]["selector"]["matchLabels"] == selector
    assert selector.items() <= template()["metadata"]["labels"].items()


def test_the_service_is_for_the_cluster_alone() -> None:
    spec = service_spec("chat")
    assert spec["type"] == "ClusterIP"
    assert [port["port"] for port in spec["ports"]] == [8000]
    assert spec["ports"][0]["targetPort"] == container()["ports"][0]["name"]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_autoscaler_reads_the_gauge_that_the_metric_names(engine: InferenceEngine) -> None:
    (source,) = metric_spec("chat", engine)["metrics"][0]["pod"]["containers"]
    gauge = source["metrics"][0]["gauge"]
    assert source["endpoint"] == {"port": PORT, "path": "/metrics"}
    assert scaled_metric("chat", engine) == f"autoscaling.gke.io|chat|{gauge['name']}"


def test_the_autoscaler_keeps_between_the_least_and_the_most() -> None:
    spec = autoscaler_spec(deployment="chat", metric="m", least=2, most=5, target_queue_size=7)
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 5)
    assert spec["scaleTargetRef"]["name"] == "chat"
    assert spec["metrics"] == [
        {
            "type": "Pods",
            "pods": {
                "metric": {"name": "m"},
                "target": {"type": "AverageValue", "averageValue": "7"},
            },
        }
    ]


def test_it_gets_no_more_privileges_than_it_starts_with() -> None:
    assert template()["spec"]["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}}
    assert container()["securityContext"] == NO_RAW_PACKETS


def test_without_a_secret_there_is_no_token() -> None:
    assert not [it for it in container(secret_name=None)["env"] if it["name"] == "HF_TOKEN"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_folder_of_a_bucket_is_read_by_the_account_that_may(engine: InferenceEngine) -> None:
    made = template(engine=engine, folder=FOLDER)
    assert made["metadata"]["annotations"]["gke-gcsfuse/volumes"] == "true"
    spec = made["spec"]
    assert spec["serviceAccountName"] == "reader"
    (volume,) = [it for it in spec["volumes"] if "csi" in it]
    assert volume["csi"]["volumeAttributes"]["bucketName"] == "tuned"
    mount = {"name": volume["name"], "mountPath": "/bucket", "readOnly": True}
    assert mount in spec["containers"][0]["volumeMounts"]
    assert FOLDER.in_pod == "/bucket/gemma/last"


def test_without_a_folder_nothing_says_who_the_pod_is() -> None:
    assert "annotations" not in template()["metadata"]
    assert "serviceAccountName" not in template()["spec"]


@pytest.mark.parametrize(
    ("engine", "label"),
    [(InferenceEngine.TGI, "text-generation-inference"), (InferenceEngine.VLLM, "vllm")],
)
def test_pods_are_labelled_with_what_serves_which_model(
    engine: InferenceEngine, label: str
) -> None:
    labels = template(engine=engine, model=GEMMA)["metadata"]["labels"]
    assert labels["ai.gke.io/inference-server"] == label
    assert labels["ai.gke.io/model"] == "gemma-2-9b-it"
