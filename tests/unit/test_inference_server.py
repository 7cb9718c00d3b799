"""The server as registered; that it answers is for a cluster."""

from dataclasses import replace
from typing import Any

import pytest

from components.base.pod_access import CLIENT_LABEL
from components.servers.engine import InferenceEngine
from components.servers.manifest import Rollout
from components.servers.server import InferenceServer, InferenceServerArgs
from sandbox.memory_kube.memory import MemoryKube
from tests.conftest import Recording, Register, inside

ARGS = InferenceServerArgs(
    namespace="llm",
    server_name="chat",
    image="tgi:1",
    model="google/gemma-2-9b-it",
    gpus=2,
    shards=2,
    cpu_millicores=4000,
    memory_gib=30,
    ephemeral_storage_gib=30,
    shm_gib=1,
    secret_name="tokens",
    secret_key="HF_TOKEN",
    node_selector={"cloud.google.com/gke-accelerator": "nvidia-l4"},
    priority_class="high",
    queue="lq",
    minutes=25,
    rollout=Rollout.ONE_BY_ONE,
    labels={"stack": "test"},
    engine=InferenceEngine.TGI,
    replicas=1,
    target_queue_size=5,
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: InferenceServer("server", replace(ARGS, **values), opts=inside()))


def test_a_fixed_number_of_servers_has_no_autoscaler(register: Register) -> None:
    recording = made(register, replicas=3)
    names = ("access", "deployment", "service", "budget")
    assert recording.children("server") == {f"server-{it}" for it in names}
    deployment = recording.named("server-deployment")
    assert deployment.inputs["spec"]["replicas"] == 3
    assert deployment.ignore_changes == ()


@pytest.mark.parametrize("several", [{"replicas": 2}, {"max_replicas": 2}])
def test_several_servers_have_a_budget_of_how_many_go_at_once(
    register: Register, several: dict[str, int]
) -> None:
    budget = made(register, **several).one(":PodDisruptionBudget").inputs
    assert budget["metadata"]["namespace"] == "llm"
    assert budget["spec"]["maxUnavailable"] == 1
    # One that crashes holds up no drain.
    assert budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"


def test_once_an_autoscaler_decides_nobody_else_does(register: Register) -> None:
    recording = made(register, replicas=2, max_replicas=4, target_queue_size=9)
    deployment = recording.named("server-deployment")
    assert "replicas" not in deployment.inputs["spec"]
    assert deployment.ignore_changes == ("spec.replicas",)
    spec = recording.named("server-autoscaler").inputs["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 4)
    assert spec["metrics"][0]["pods"]["target"]["averageValue"] == "9"


def test_the_autoscaler_waits_for_what_it_scales_and_what_it_reads(register: Register) -> None:
    recording = made(register, max_replicas=4)
    assert {"server-deployment", "server-metric"} <= recording.waits_for("server-autoscaler")
    metric = recording.named("server-metric").inputs
    assert (metric["apiVersion"], metric["kind"]) == (
        "autoscaling.gke.io/v1beta1",
        "AutoscalingMetric",
    )
    name = recording.named("server-autoscaler").inputs["spec"]["metrics"][0]["pods"]["metric"]
    assert f"|{metric['metadata']['name']}|" in name["name"]


def test_the_deployment_and_the_service_have_the_time_that_a_server_takes(
    register: Register,
) -> None:
    recording = made(register, minutes=25)
    for one in ("server-deployment", "server-service"):
        assert recording.named(one).create_timeout == "25m"


@pytest.mark.parametrize(
    ("rollout", "servers", "update"),
    [
        (Rollout.SURGE, {"replicas": 4}, "100m"),
        (Rollout.ONE_BY_ONE, {"replicas": 4}, "100m"),
        (Rollout.ONE_BY_ONE, {"max_replicas": 3}, "75m"),
        (Rollout.RECREATE, {"replicas": 4}, "25m"),
    ],
)
def test_an_update_has_the_time_of_each_server_that_comes_after_another(
    register: Register, rollout: Rollout, servers: dict[str, int], update: str
) -> None:
    deployment = made(register, minutes=25, rollout=rollout, **servers).named("server-deployment")
    assert deployment.update_timeout == update
    assert deployment.create_timeout == "25m"


def test_the_service_does_not_hold_the_deployment_up_for_it_waits_for_its_pods(
    register: Register,
) -> None:
    assert "server-service" not in made(register).waits_for("server-deployment")


def test_a_change_of_replicas_goes_through_whoever_scaled_them_before(register: Register) -> None:
    metadata = made(register).named("server-deployment").inputs["metadata"]
    assert metadata["annotations"] == {"pulumi.com/patchForce": "true"}


def test_the_url_is_the_services_in_the_cluster(register: Register) -> None:
    recording = made(register)
    outputs = recording.outputs[recording.named("server").urn]
    assert outputs == {
        "deployment_name": "chat",
        "service_name": "chat",
        "url": "http://chat.llm.svc:8000",
    }


def test_pods_beside_the_server_reach_it_only_with_its_clients_label(register: Register) -> None:
    recording = made(register)
    spec = recording.named("server-access").inputs["spec"]
    template = recording.named("server-deployment").inputs["spec"]["template"]
    assert spec["podSelector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
    (rule,) = spec["ingress"]
    # Without a selector of namespaces it is those of its own.
    assert rule["from"][0] == {"podSelector": {"matchLabels": {CLIENT_LABEL: "chat"}}}
    (elsewhere,) = rule["from"][1]["namespaceSelector"]["matchExpressions"]
    assert (elsewhere["operator"], elsewhere["values"]) == ("NotIn", ["llm", "default"])
    (port,) = template["spec"]["containers"][0]["ports"]
    assert rule["ports"] == [{"port": port["containerPort"], "protocol": "TCP"}]


def test_nobody_reaches_a_server_before_it_says_who_may(register: Register) -> None:
    assert "server-access" in made(register).waits_for("server-deployment")


def test_the_api_server_takes_the_policy(register: Register) -> None:
    policy = made(register, namespace="default").named("server-access")
    manifest: dict[str, Any] = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy"}
    kube = MemoryKube({}, [])
    kube.apply(manifest | {key: policy.inputs[key] for key in ("metadata", "spec")})
    assert kube.inventory()["NetworkPolicy"] == ["default/chat"]


def test_the_engine_changes_the_pods_and_what_they_are_scaled_by_and_nothing_else(
    register: Register,
) -> None:
    tgi, vllm = (made(register, engine=it, max_replicas=3) for it in InferenceEngine)
    assert tgi.children("server") == vllm.children("server")
    changed = {
        one for one in tgi.children("server") if tgi.named(one).inputs != vllm.named(one).inputs
    }
    assert changed == {"server-deployment", "server-metric", "server-autoscaler"}


def test_the_autoscaler_reads_what_the_metric_is_called(register: Register) -> None:
    recording = made(register, engine=InferenceEngine.VLLM, max_replicas=3)
    (source,) = recording.named("server-metric").inputs["spec"]["metrics"][0]["pod"]["containers"]
    read = recording.named("server-autoscaler").inputs["spec"]["metrics"][0]["pods"]["metric"]
    assert read["name"].endswith(f"|{source['metrics'][0]['gauge']['name']}")


def test_the_api_server_takes_a_server_of_either_engine(register: Register) -> None:
    kube = MemoryKube({}, [])
    for engine in InferenceEngine:
        recording = made(
            register, engine=engine, server_name=engine, namespace="default", priority_class=None
        )
        deployment = recording.named("server-deployment").inputs
        base: dict[str, Any] = {"apiVersion": "apps/v1", "kind": "Deployment"}
        kube.apply(base | {key: deployment[key] for key in ("metadata", "spec")})
    assert kube.inventory()["Deployment"] == ["default/tgi", "default/vllm"]
