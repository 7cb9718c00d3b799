"""A Ray cluster that scales by itself, from no worker at all."""

from typing import Any

from kube.objects import Node
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    asking,
    changed,
    container,
    cpu_node,
    make,
    only_pod,
    ray_ref,
)


def cluster(**head: str) -> dict[str, Any]:
    def template(**amounts: str) -> dict[str, Any]:
        return {"spec": {"containers": [container("ray", resources=asking(**amounts))]}}

    workers = {
        "groupName": "gpu",
        "replicas": 0,
        "minReplicas": 0,
        "maxReplicas": 2,
        "rayStartParams": {},
        "template": template(cpu="4", memory="16Gi", gpu="1"),
    }
    spec = {
        "enableInTreeAutoscaling": True,
        "headGroupSpec": {"rayStartParams": {}, "template": template(**head)},
        "workerGroupSpecs": [workers],
    }
    return make("RayCluster", "ray", "ray.io/v1", spec=spec)


def node(cpu: str) -> list[Node]:
    return [cpu_node(cpu=cpu, memory="13Gi")]


def test_it_is_ready_with_a_head_and_no_worker() -> None:
    kube = MemoryKube({}, node("4"))
    kube.apply(cluster(cpu="2", memory="8Gi"))
    assert only_pod(kube).phase == "Running"
    found = kube.get(ray_ref(name="ray"))
    assert found is not None
    assert found["status"]["state"] == "ready"
    assert kube.health(ray_ref(name="ray")).ready


def test_the_autoscaler_takes_half_a_core_and_512_mebibytes_of_the_heads_node() -> None:
    kube = MemoryKube({}, node("2400m"))
    kube.apply(cluster(cpu="2", memory="8Gi"))
    assert only_pod(kube).reason.endswith("1 Insufficient cpu.")
    kube.set_nodes(node("2500m"))
    assert only_pod(kube).phase == "Running"


def test_the_autoscalers_own_resources_count_in_their_place() -> None:
    kube = MemoryKube({}, node("2400m"))
    resources = {"requests": {"cpu": "100m"}, "limits": {"cpu": "100m"}}
    manifest = cluster(cpu="2", memory="8Gi")
    kube.apply(changed(manifest, {"resources": resources}, "spec", "autoscalerOptions"))
    assert only_pod(kube).phase == "Running"


def test_without_autoscaling_the_head_has_no_such_container() -> None:
    kube = MemoryKube({}, node("2"))
    kube.apply(changed(cluster(cpu="2", memory="8Gi"), False, "spec", "enableInTreeAutoscaling"))
    assert only_pod(kube).phase == "Running"
