"""The RayCluster, as registered."""

from dataclasses import replace

import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from components.lustre_volume import LustreMount
from components.ray_cluster import RayCluster, RayClusterArgs, RayPodArgs, launcher_config_map
from tests.conftest import Register, Registered

POD = RayPodArgs(
    cpu_request_millicores=8000,
    cpu_limit_millicores=32000,
    memory_request_gib=64,
    memory_limit_gib=1000,
    shm_gib=300,
    gpus=8,
)
ARGS = RayClusterArgs(
    namespace="rl",
    cluster_name="demo",
    ray_version="2.54.0",
    image="image:1",
    head=POD,
    worker=POD,
    workers=8,
    node_selector={"cloud.google.com/gke-accelerator": "nvidia-b200"},
    secret_name="tokens",
    secret_keys=["HF_TOKEN"],
    labels={"stack": "test"},
)


def made(register: Register) -> Registered:
    return register(lambda: RayCluster("ray", ARGS)).named("ray-cluster")


def test_the_engine_waits_until_ray_is_ready_and_for_long(register: Register) -> None:
    cluster = made(register)
    assert cluster.type == "kubernetes:ray.io/v1:RayCluster"
    assert cluster.inputs["metadata"]["annotations"] == {
        "pulumi.com/waitFor": "jsonpath={.status.state}=ready"
    }
    assert cluster.create_timeout == "90m"


def test_what_kuberay_would_ignore_replaces_the_cluster(register: Register) -> None:
    cluster = made(register)
    assert cluster.replace_on_changes == (
        "spec.rayVersion",
        "spec.headGroupSpec",
        "spec.workerGroupSpecs[*].template",
    )
    assert cluster.delete_before_replace


def test_pods_let_go_of_a_claim_before_it_is_replaced(register: Register) -> None:
    def program() -> None:
        mount = LustreMount(
            instance=gcp.lustre.Instance(
                "instance",
                instance_id="fs",
                filesystem="lustre",
                location="us-east1-b",
                network="net",
                capacity_gib="9000",
                per_unit_storage_throughput="1000",
            ),
            volume=k8s.core.v1.PersistentVolume("volume", metadata={"name": "fs-pv"}),
            claim=k8s.core.v1.PersistentVolumeClaim("claim", metadata={"name": "fs-pvc"}),
        )
        RayCluster("ray", replace(ARGS, lustre=mount, mount_path="/lustre"))

    recording = register(program)
    cluster = recording.named("ray-cluster")
    assert cluster.replace_with == {
        recording.named(name).urn for name in ("instance", "volume", "claim")
    }
    volumes = cluster.inputs["spec"]["headGroupSpec"]["template"]["spec"]["volumes"]
    assert {"claimName": "fs-pvc"} in [it.get("persistentVolumeClaim") for it in volumes]


def test_a_changed_label_touches_no_pod(register: Register) -> None:
    spec = made(register).inputs["spec"]
    assert "metadata" not in spec["headGroupSpec"]["template"]
    assert "metadata" not in spec["workerGroupSpecs"][0]["template"]


def test_the_head_expects_the_launcher_under_a_name_of_its_own(register: Register) -> None:
    volumes = made(register).inputs["spec"]["headGroupSpec"]["template"]["spec"]["volumes"]
    assert {"name": "demo-launcher", "optional": True} in [it.get("configMap") for it in volumes]
    assert launcher_config_map("demo") == "demo-launcher"


def test_the_dashboard_is_found_at_the_heads_service(register: Register) -> None:
    recording = register(lambda: RayCluster("ray", ARGS))
    outputs = recording.outputs[recording.named("ray").urn]
    assert outputs["head_service"] == "demo-head-svc"
    assert outputs["dashboard_port"] == 8265
