"""The RayCluster, as registered."""

from dataclasses import replace
from typing import Any

import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
import pytest

from components.base.static_volume import VolumeMount
from components.network.device_networks import DeviceNetworks, DeviceNetworksArgs
from components.network.node_network import NodeNetwork
from components.ray.cluster import (
    RayCluster,
    RayClusterArgs,
    RayPodArgs,
    RayVolumeArgs,
    RayWorkersArgs,
)
from components.ray.cluster_manifest import RayAutoscaling
from sandbox.memory_kube.memory import MemoryKube
from tests.conftest import Register, Registered, inside
from tests.unit.lustre_samples import instance

POD = RayPodArgs(
    cpu_request_millicores=8000,
    cpu_limit_millicores=32000,
    memory_request_gib=64,
    memory_limit_gib=1000,
    shm_gib=300,
    node_selector={"cloud.google.com/gke-accelerator": "nvidia-b200"},
    gpus=8,
)
ARGS = RayClusterArgs(
    namespace="rl",
    cluster_name="demo",
    ray_version="2.54.0",
    image="image:1",
    head=POD,
    workers={"gpu-worker-group": RayWorkersArgs(pod=POD, count=8)},
    secret_name="tokens",
    secret_keys=["HF_TOKEN"],
    labels={"stack": "test"},
)


def with_workers(pod: RayPodArgs = POD, count: int = 8, least: int = 0) -> RayClusterArgs:
    return replace(
        ARGS, workers={"gpu-worker-group": RayWorkersArgs(pod=pod, count=count, least=least)}
    )


def made(register: Register) -> Registered:
    return register(lambda: RayCluster("ray", ARGS, opts=inside())).named("ray-cluster")


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
        "spec.enableInTreeAutoscaling",
        "spec.authOptions",
        "spec.gcsFaultToleranceOptions",
        "spec.headGroupSpec",
        "spec.workerGroupSpecs[*].template",
        'metadata.labels["kueue.x-k8s.io/queue-name"]',
    )
    assert cluster.delete_before_replace


def test_pods_let_go_of_a_claim_before_it_is_replaced(register: Register) -> None:
    def program() -> None:
        mount = VolumeMount(
            backing=[instance()],
            volume=k8s.core.v1.PersistentVolume("volume", metadata={"name": "fs-pv"}),
            claim=k8s.core.v1.PersistentVolumeClaim("claim", metadata={"name": "fs-pvc"}),
        )
        volume = RayVolumeArgs(name="lustre-storage", mount_path="/lustre", volume=mount)
        RayCluster("ray", replace(ARGS, volumes=[volume]), opts=inside())

    recording = register(program)
    cluster = recording.named("ray-cluster")
    assert cluster.replace_with == {
        recording.named(name).urn for name in ("instance", "volume", "claim")
    }
    volumes = cluster.inputs["spec"]["headGroupSpec"]["template"]["spec"]["volumes"]
    assert {"claimName": "fs-pvc"} in [it.get("persistentVolumeClaim") for it in volumes]


def test_pods_wait_for_pools_and_interfaces_and_go_before_them(register: Register) -> None:
    def program() -> None:
        networks = DeviceNetworks(
            "nets",
            DeviceNetworksArgs(
                api_version="networking.gke.io/v1",
                networks=[
                    NodeNetwork(
                        name="rdma-0", interface="eth1", rdma=True, network="net", subnetwork="sub"
                    )
                ],
                labels={},
            ),
            opts=inside(),
        )
        pool = gcp.container.NodePool("pool", cluster="demo")
        pod = replace(POD, pools=[pool], networks=networks.networks)
        RayCluster("ray", with_workers(pod), opts=inside())

    recording = register(program)
    names = {"pool", "nets-parameters-rdma-0", "nets-network-rdma-0"}
    assert names <= recording.waits_for("ray-cluster")
    assert recording.named("ray-cluster").replace_with == {recording.named(it).urn for it in names}


def test_a_changed_label_touches_no_pod(register: Register) -> None:
    spec = made(register).inputs["spec"]
    assert "metadata" not in spec["headGroupSpec"]["template"]
    assert "metadata" not in spec["workerGroupSpecs"][0]["template"]


@pytest.mark.parametrize("scaling", [None, RayAutoscaling(idle_seconds=60)])
def test_workers_of_what_a_queue_admits_are_kueues_and_others_another_cluster(
    register: Register, scaling: RayAutoscaling | None
) -> None:
    args = replace(ARGS, queue="lq", autoscaling=scaling)
    queued = register(lambda: RayCluster("ray", args, opts=inside())).named("ray-cluster")
    assert queued.ignore_changes == ("spec.workerGroupSpecs",)
    assert queued.replacement_trigger == queued.inputs["spec"]["workerGroupSpecs"]
    assert "pulumi.com/patchForce" not in queued.inputs["metadata"]["annotations"]


@pytest.mark.parametrize("scaling", [None, RayAutoscaling(idle_seconds=60)])
def test_workers_that_no_queue_admits_change_in_place(
    register: Register, scaling: RayAutoscaling | None
) -> None:
    args = replace(ARGS, autoscaling=scaling)
    cluster = register(lambda: RayCluster("ray", args, opts=inside())).named("ray-cluster")
    assert cluster.ignore_changes == ()
    assert "spec.workerGroupSpecs" not in cluster.replace_on_changes
    more = replace(with_workers(count=9), autoscaling=scaling)
    again = register(lambda: RayCluster("ray", more, opts=inside())).named("ray-cluster")
    assert again.replacement_trigger == cluster.replacement_trigger
    forced = "pulumi.com/patchForce" in cluster.inputs["metadata"]["annotations"]
    assert forced == (scaling is not None)


def test_the_dashboard_is_found_at_the_heads_service(register: Register) -> None:
    recording = register(lambda: RayCluster("ray", ARGS, opts=inside()))
    outputs = recording.outputs[recording.named("ray").urn]
    assert outputs["head_service"] == "demo-head-svc"
    assert outputs["dashboard_port"] == 8265


def test_a_cluster_keeps_the_pods_of_all_teams_out(register: Register) -> None:
    recording = register(lambda: RayCluster("ray", ARGS, opts=inside()))
    policy = recording.named("ray-access")
    (rule,) = policy.inputs["spec"]["ingress"]
    *_, of_teams = rule["from"][1]["namespaceSelector"]["matchExpressions"]
    assert of_teams == {"key": "gke-ai-stacks/team", "operator": "DoesNotExist"}


def test_pods_beside_ray_in_its_namespace_do_not_reach_it(register: Register) -> None:
    recording = register(lambda: RayCluster("ray", ARGS, opts=inside()))
    policy = recording.named("ray-access")
    assert policy.type.endswith("NetworkPolicy")
    spec = policy.inputs["spec"]
    of_ray = {"matchLabels": {"ray.io/cluster": "demo"}}
    assert spec["podSelector"] == of_ray
    (rule,) = spec["ingress"]
    assert "ports" not in rule
    peers = rule["from"]
    # Without a selector of namespaces it is those of its own.
    assert peers[0] == {"podSelector": of_ray}
    elsewhere, _ = peers[1]["namespaceSelector"]["matchExpressions"]
    assert (elsewhere["operator"], elsewhere["values"]) == ("NotIn", ["rl", "default"])
    assert "ray-access" in recording.waits_for("ray-cluster")


@pytest.mark.parametrize("of_chart", [False, True])
def test_what_is_no_pod_reaches_ray_where_gkes_operator_does(
    register: Register, *, of_chart: bool
) -> None:
    args = replace(ARGS, operator_is_pod=of_chart)
    policy = register(lambda: RayCluster("ray", args, opts=inside())).named("ray-access")
    (rule,) = policy.inputs["spec"]["ingress"]
    assert any("ipBlock" in it for it in rule["from"]) is not of_chart


def test_the_api_server_takes_the_policy(register: Register) -> None:
    policy = register(lambda: RayCluster("ray", ARGS, opts=inside())).named("ray-access")
    kinds = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy"}
    manifest: dict[str, Any] = kinds | {key: policy.inputs[key] for key in ("metadata", "spec")}
    manifest["metadata"]["namespace"] = "default"
    kube = MemoryKube({}, [])
    kube.apply(manifest)
    assert kube.inventory()["NetworkPolicy"] == [f"default/{manifest['metadata']['name']}"]


@pytest.mark.parametrize("queue", ["lq", None])
def test_a_queue_is_told_how_many_workers_come_first_and_otherwise_the_autoscaler_says_it(
    register: Register, queue: str | None
) -> None:
    scaling = RayAutoscaling(idle_seconds=60)
    args = replace(with_workers(count=2, least=1), queue=queue, autoscaling=scaling)
    cluster = register(lambda: RayCluster("ray", args, opts=inside())).named("ray-cluster").inputs
    (group,) = cluster["spec"]["workerGroupSpecs"]
    assert (group["minReplicas"], group["maxReplicas"]) == (1, 2)
    assert group.get("replicas") == (1 if queue else None)
