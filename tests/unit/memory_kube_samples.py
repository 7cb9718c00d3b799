"""Manifests and nodes that the tests of the in-memory Kubernetes API share."""

import copy
from typing import Any

import pytest

from kube.errors import KubeError
from kube.objects import Node, PodView, Ref, Taint
from sandbox.clusters import Kube
from sandbox.memory_kube.memory import MemoryKube

GPU_TAINT = Taint(key="nvidia.com/gpu", value="present")
GPU_LABELS = {"cloud.google.com/gke-accelerator": "nvidia-b200"}
TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
CLAIM = "rl-demo-gpu-lustre-pvc"
VOLUME = "rl-demo-gpu-lustre-pv"
CLUSTER = "ray-a4-gpu-spot"
IMAGE = "nvcr.io/nvidia/nemo-rl:v0.4.0"


def gpu_nodes(count: int = 8) -> list[Node]:
    return [
        Node(
            name=f"a4-{index}",
            pool="a4",
            labels=GPU_LABELS,
            taints=(GPU_TAINT,),
            allocatable={"cpu": "223", "memory": "3870Gi", "nvidia.com/gpu": "8"},
        )
        for index in range(count)
    ]


def cpu_node(name: str = "default-0", **allocatable: str) -> Node:
    return Node(
        name=name, pool="default", allocatable={"cpu": "3920m", "memory": "13Gi"} | allocatable
    )


def ref(kind: str, name: str, namespace: str = "default", api_version: str = "v1") -> Ref:
    return Ref(api_version=api_version, kind=kind, namespace=namespace, name=name)


def ray_ref(kind: str = "RayCluster", name: str = CLUSTER) -> Ref:
    return ref(kind, name, api_version="ray.io/v1")


def make(kind: str, name: str, api_version: str = "v1", **parts: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **parts}


def container(name: str = "main", **fields: Any) -> dict[str, Any]:
    return {"name": name, "image": IMAGE, **fields}


def pod(name: str = "p", spec: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return make("Pod", name, spec={"containers": [container(**fields)], **(spec or {})})


def asking(**requests: str) -> dict[str, Any]:
    amounts = {key.replace("gpu", "nvidia.com/gpu"): value for key, value in requests.items()}
    return {"requests": dict(amounts), "limits": amounts}


def lustre_volume() -> dict[str, Any]:
    return make(
        "PersistentVolume",
        VOLUME,
        spec={
            "capacity": {"storage": "9000Gi"},
            "accessModes": ["ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "volumeMode": "Filesystem",
            "claimRef": {"namespace": "default", "name": CLAIM},
            "csi": {
                "driver": "lustre.csi.storage.gke.io",
                "volumeHandle": "p/us-east1-b/rl-demo-gpu-lustre",
                "volumeAttributes": {"ip": "10.100.0.2", "filesystem": "lustre"},
            },
        },
    )


def lustre_claim(storage: str = "9000Gi", **spec: Any) -> dict[str, Any]:
    return make(
        "PersistentVolumeClaim",
        CLAIM,
        spec={
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "volumeName": VOLUME,
            "resources": {"requests": {"storage": storage}},
            **spec,
        },
    )


LABELS = {"app": "tgi"}


def workload(kind: str, name: str, *, api_version: str = "apps/v1", **spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [container()]}}
    if api_version == "apps/v1":
        spec = {"selector": {"matchLabels": LABELS}, **spec}
    return make(kind, name, api_version, spec={"template": template, **spec})


def job(name: str = "train", **spec: Any) -> dict[str, Any]:
    manifest = workload("Job", name, api_version="batch/v1", **spec)
    return changed(manifest, "Never", "spec", "template", "spec", "restartPolicy")


def only_pod(kube: Kube) -> PodView:
    (found,) = kube.pods()
    return found


def refusal(kube: MemoryKube, manifest: dict[str, Any]) -> str:
    with pytest.raises(KubeError) as caught:
        kube.apply(manifest)
    return caught.value.message


def ray_template(name: str, resources: dict[str, Any]) -> dict[str, Any]:
    mount = {"mountPath": "/lustre", "name": "lustre"}
    return {
        "spec": {
            "nodeSelector": dict(GPU_LABELS),
            "tolerations": [dict(TOLERATION)],
            "containers": [container(name, resources=resources, volumeMounts=[mount])],
            "volumes": [{"name": "lustre", "persistentVolumeClaim": {"claimName": CLAIM}}],
        }
    }


def ray_cluster(**worker: str) -> dict[str, Any]:
    head = {"requests": {"cpu": "8", "memory": "64Gi"}, "limits": {"cpu": "32", "memory": "1000Gi"}}
    resources = asking(**({"cpu": "100", "memory": "1000Gi", "gpu": "8"} | worker))
    return make(
        "RayCluster",
        CLUSTER,
        api_version="ray.io/v1",
        spec={
            "rayVersion": "2.54.0",
            "headGroupSpec": {
                "rayStartParams": {"dashboard-host": "0.0.0.0"},
                "template": ray_template("ray-head", head),
            },
            "workerGroupSpecs": [
                {
                    "groupName": "gpu-worker-group",
                    "replicas": 8,
                    "minReplicas": 8,
                    "maxReplicas": 8,
                    "rayStartParams": {},
                    "template": ray_template("ray-worker", resources),
                }
            ],
        },
    )


def ray_job(name: str = "grpo", **spec: Any) -> dict[str, Any]:
    base = {"clusterSelector": {"ray.io/cluster": CLUSTER}, "entrypoint": "bash run_nemo_rl.sh"}
    return make("RayJob", name, api_version="ray.io/v1", spec={**base, **spec})


def changed(manifest: dict[str, Any], value: Any, *path: str | int) -> dict[str, Any]:
    """A copy of a manifest with one value set (`...` removes it)."""
    copied = copy.deepcopy(manifest)
    target: Any = copied
    for step in path[:-1]:
        target = target[step]
    if value is ...:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return copied


def scenario(
    state: dict[str, Any] | None = None, worker: dict[str, str] | None = None
) -> MemoryKube:
    """The Lustre volume, its claim and the RayCluster on eight A4 nodes and one small one."""
    kube = MemoryKube({} if state is None else state, [*gpu_nodes(), cpu_node()])
    for manifest in (lustre_volume(), lustre_claim(), ray_cluster(**(worker or {}))):
        kube.apply(manifest)
    return kube
