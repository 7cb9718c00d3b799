"""The server as registered; that it answers is for a cluster."""

from dataclasses import replace
from typing import Any

from components.inference_server import InferenceServer, InferenceServerArgs
from tests.conftest import Recording, Register

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
    labels={"stack": "test"},
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: InferenceServer("server", replace(ARGS, **values)))


def test_a_fixed_number_of_servers_has_no_autoscaler(register: Register) -> None:
    recording = made(register, replicas=3)
    assert recording.children("server") == {"server-deployment", "server-service"}
    deployment = recording.named("server-deployment")
    assert deployment.inputs["spec"]["replicas"] == 3
    assert deployment.ignore_changes == ()


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


def test_the_service_does_not_hold_the_deployment_up_for_it_waits_for_its_pods(
    register: Register,
) -> None:
    assert "server-service" not in made(register).waits_for("server-deployment")


def test_all_of_it_is_in_the_namespace_with_the_labels(register: Register) -> None:
    recording = made(register, max_replicas=2)
    for one in recording.children("server"):
        metadata = recording.named(one).inputs["metadata"]
        assert metadata == {"name": "chat", "namespace": "llm", "labels": {"stack": "test"}}
        assert recording.named(one).delete_before_replace


def test_its_pods_have_the_queues_priority(register: Register) -> None:
    deployment = made(register, workload_priority="first").named("server-deployment").inputs
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/priority-class"] == "first"


def test_the_url_is_the_services_in_the_cluster(register: Register) -> None:
    recording = made(register)
    outputs = recording.outputs[recording.named("server").urn]
    assert outputs == {
        "deployment_name": "chat",
        "service_name": "chat",
        "url": "http://chat.llm.svc:8000",
    }
