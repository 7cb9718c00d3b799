"""Kueue on nodes with L4 GPUs: what its tests share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import yaml

from catalog import Catalog
from kube.errors import KubeError
from kube.objects import Node, PodView, Ref
from sandbox.memory_kube.admission import check
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import asking, changed, container, cpu_node, make

LOCK = Catalog.load().component("kueue")
KUEUE = "kueue.x-k8s.io/v1beta2"
QUEUE = "kueue.x-k8s.io/queue-name"
PRIORITY = "kueue.x-k8s.io/priority-class"
L4 = {"cloud.google.com/gke-accelerator": "nvidia-l4"}
NAMESPACE = "llm"
SERVER = {"app": "gemma-server"}


def l4_nodes(count: int = 3, **labels: str) -> list[Node]:
    size = {"cpu": "23", "memory": "88Gi", "ephemeral-storage": "100Gi", "nvidia.com/gpu": "2"}
    return [
        Node(name=f"l4-{index}", pool="l4", labels={**L4, **labels}, allocatable=size)
        for index in range(count)
    ]


def namespace(name: str, **labels: str) -> dict[str, Any]:
    return changed(make("Namespace", name), labels, "metadata", "labels")


def configuration(**fields: Any) -> str:
    frameworks = ["batch/job", "pod", "ray.io/raycluster", "ray.io/rayjob"]
    return yaml.safe_dump(
        {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "kind": "Configuration",
            "integrations": {"frameworks": frameworks},
            **fields,
        }
    )


def release(version: str | None = None, config: str | None = None, **values: Any) -> dict[str, Any]:
    assert LOCK.chart is not None
    managed = {"controllerManagerConfigYaml": configuration() if config is None else config}
    spec = {
        "chart": LOCK.chart.name,
        "version": version or LOCK.version,
        "values": {"managerConfig": managed, **values},
        "skipAwait": True,
    }
    return {
        "apiVersion": "helm.sh/v3",
        "kind": "Release",
        "metadata": {"name": "kueue", "namespace": "kueue-system"},
        "spec": spec,
    }


RELEASE = Ref(api_version="helm.sh/v3", kind="Release", namespace="kueue-system", name="kueue")


def kueue_ref(kind: str, name: str, where: str = "") -> Ref:
    return Ref(api_version=KUEUE, kind=kind, namespace=where, name=name)


def flavor(name: str = "l4", **spec: Any) -> dict[str, Any]:
    return make("ResourceFlavor", name, KUEUE, spec=spec)


def quota(name: str, nominal: str, **limits: str) -> dict[str, Any]:
    return {"name": name, "nominalQuota": nominal, **limits}


def group(resources: Sequence[dict[str, Any]], flavors: Sequence[str] = ("l4",)) -> dict[str, Any]:
    return {
        "coveredResources": [each["name"] for each in resources],
        "flavors": [{"name": name, "resources": list(resources)} for name in flavors],
    }


SCENARIO_QUOTAS = (
    quota("cpu", "72"),
    quota("memory", "288Gi"),
    quota("nvidia.com/gpu", "6"),
    quota("ephemeral-storage", "200Gi"),
)
LOWER_PRIORITY = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "LowerPriority"}


def cluster_queue(
    name: str = "cluster-queue", quotas: Sequence[dict[str, Any]] = SCENARIO_QUOTAS, **spec: Any
) -> dict[str, Any]:
    base = {
        "namespaceSelector": {},
        "preemption": LOWER_PRIORITY,
        "resourceGroups": [group(quotas)],
    }
    return make("ClusterQueue", name, KUEUE, spec={**base, **spec})


def in_llm(manifest: dict[str, Any]) -> dict[str, Any]:
    return changed(manifest, NAMESPACE, "metadata", "namespace")


def local_queue(name: str = "lq", target: str = "cluster-queue") -> dict[str, Any]:
    return in_llm(make("LocalQueue", name, KUEUE, spec={"clusterQueue": target}))


def priority(name: str, value: int, **fields: Any) -> dict[str, Any]:
    return make("PriorityClass", name, "scheduling.k8s.io/v1", value=value, **fields)


def server(replicas: int = 1, queue: str = "lq", **pod: Any) -> dict[str, Any]:
    labels = {**SERVER, "kueue-job": "true", QUEUE: queue}
    spec = {
        "priorityClassName": "high",
        "nodeSelector": L4,
        "containers": [container(resources=asking(cpu="4", memory="30Gi", gpu="2"))],
        **pod,
    }
    template = {"metadata": {"labels": labels}, "spec": spec}
    deployment = {"replicas": replicas, "selector": {"matchLabels": SERVER}, "template": template}
    return in_llm(make("Deployment", "tgi", "apps/v1", spec=deployment))


SERVER_REF = Ref(api_version="apps/v1", kind="Deployment", namespace=NAMESPACE, name="tgi")


def fine_tune(name: str = "finetune", pods: int = 2, queue: str = "lq") -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "finetune-job"}},
        "spec": {
            "priorityClassName": "low",
            "restartPolicy": "OnFailure",
            "nodeSelector": L4,
            "containers": [container(resources=asking(gpu="2"))],
        },
    }
    spec = {
        "completions": pods,
        "parallelism": pods,
        "completionMode": "Indexed",
        "suspend": True,
        "template": template,
    }
    manifest = in_llm(make("Job", name, "batch/v1", spec=spec))
    return changed(manifest, {QUEUE: queue}, "metadata", "labels")


def job_ref(name: str = "finetune") -> Ref:
    return Ref(api_version="batch/v1", kind="Job", namespace=NAMESPACE, name=name)


def ray_cluster() -> dict[str, Any]:
    """In the queue of the scenario: a head, and two workers with two GPUs each."""

    def template(**amounts: str) -> dict[str, Any]:
        spec = {
            "priorityClassName": "low",
            "containers": [container("ray", resources=asking(**amounts))],
        }
        return {"spec": spec}

    workers = {
        "groupName": "workers",
        "replicas": 2,
        "minReplicas": 2,
        "maxReplicas": 2,
        "rayStartParams": {},
        "template": template(cpu="4", memory="16Gi", gpu="2"),
    }
    spec = {
        "rayVersion": "2.54.0",
        "headGroupSpec": {"rayStartParams": {}, "template": template(cpu="2", memory="8Gi")},
        "workerGroupSpecs": [workers],
    }
    manifest = in_llm(make("RayCluster", "ray", "ray.io/v1", spec=spec))
    return changed(manifest, {QUEUE: "lq"}, "metadata", "labels")


def ray_ref(kind: str = "RayCluster", name: str = "ray") -> Ref:
    return Ref(api_version="ray.io/v1", kind=kind, namespace=NAMESPACE, name=name)


def with_kueue(*nodes: Node) -> MemoryKube:
    """A cluster with Kueue and no queue."""
    kube = MemoryKube({}, [cpu_node(), *(nodes or l4_nodes())])
    for manifest in (namespace("kueue-system"), namespace(NAMESPACE), release()):
        kube.apply(manifest)
    return kube


def scenario(*nodes: Node, **queue: Any) -> MemoryKube:
    """The queue of the scenario: 6 GPUs, one local queue, three priorities."""
    kube = with_kueue(*nodes)
    for manifest in (
        flavor(),
        cluster_queue(**queue),
        local_queue(),
        priority("default", 10, globalDefault=True, preemptionPolicy="Never"),
        priority("low", 20),
        priority("high", 30),
    ):
        kube.apply(manifest)
    return kube


def pods_of(kube: MemoryKube, start: str) -> list[PodView]:
    return [pod for pod in kube.pods() if pod.name.startswith(start)]


def phases(kube: MemoryKube, start: str) -> list[str]:
    return [pod.phase for pod in pods_of(kube, start)]


def refused(manifest: dict[str, Any]) -> str:
    """Why a manifest is refused, whatever the cluster."""
    with pytest.raises(KubeError) as caught:
        check(manifest)
    return caught.value.message
