"""RayCluster: a head pod, its headless Service, the workers of each group, and the status.

As in KubeRay 1.4.2 a changed template leaves running pods alone; only the number of replicas acts.
Unlike there, the state does not stay `ready` when a pod is lost later, and replicas of several
hosts come, go and are numbered as a whole, as in newer versions (RayMultiHostIndexing).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from sandbox.gke.tpu_webhook import CLUSTER, GROUP, HOST_INDEX, REPLICA_INDEX, REPLICA_NAME
from sandbox.kube import quantity
from sandbox.kube.helm import ray_operator_runs
from sandbox.kube.objects import JsonObject, Node, dig, maps, name_of, namespace_of
from sandbox.kube.pods import is_running, pod_from, suffix
from sandbox.kube.scheduler import requests_of
from sandbox.kube.store import Store
from sandbox.memory_kube.owned_pods import keep_pods
from sandbox.memory_kube.ray_pods import head_template, workers_of
from sandbox.memory_kube.ray_state import tolerant_head, tolerant_worker

_PORTS = {"gcs-server": 6379, "dashboard": 8265, "client": 10001, "serve": 8000, "metrics": 8080}
_NODE_TYPE = "ray.io/node-type"


def run_ray_clusters(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    if not ray_operator_runs(store):
        return
    for cluster in store.all("RayCluster"):
        _keep_service(store, cluster)
        suspended = bool(cluster["spec"].get("suspend"))
        keep_pods(store, cluster, {} if suspended else _wanted(cluster))
        store.patch(cluster, status=_status(store, cluster))


def head_service_name(cluster: Mapping[str, Any]) -> str:
    own = dig(cluster, "spec", "headGroupSpec", "headService", "metadata", "name")
    return own or f"{name_of(cluster)}-head-svc"


def _wanted(cluster: JsonObject) -> dict[str, JsonObject]:
    spec, name = cluster["spec"], name_of(cluster)
    template = tolerant_head(cluster, head_template(spec))
    pods = [_pod(cluster, template, _pod_name(name, "head"), "headgroup", "head")]
    for group in maps(spec.get("workerGroupSpecs")):
        prefix, hosts = f"{name}-{group['groupName']}", group["numOfHosts"]
        template = tolerant_worker(cluster, group["template"])
        for index in range(workers_of(group)):
            pod_name = _pod_name(prefix, "worker", index)
            pod = _pod(cluster, template, pod_name, group["groupName"], "worker")
            if hosts > 1:
                pod["metadata"]["labels"] |= _place_in_replica(group["groupName"], index, hosts)
            pods.append(pod)
    return {name_of(pod): pod for pod in pods}


def _pod_name(prefix: str, node_type: str, index: int = 0) -> str:
    # KubeRay cuts the prefix at 50 characters and lower-cases the result.
    return f"{prefix[:50]}-{node_type}-{suffix(prefix, node_type, index)}".lower()


def _pod(
    cluster: JsonObject, template: JsonObject, name: str, group: str, node_type: str
) -> JsonObject:
    labels = {
        CLUSTER: name_of(cluster),
        GROUP: group,
        "ray.io/identifier": f"{name_of(cluster)}-{node_type}"[-63:],
        "ray.io/is-ray-node": "yes",
        _NODE_TYPE: node_type,
    }
    return pod_from(template, name=name, namespace=namespace_of(cluster), labels=labels)


def _place_in_replica(group: str, index: int, hosts: int) -> dict[str, str]:
    replica, host = divmod(index, hosts)
    return {
        REPLICA_NAME: f"{group}-{suffix(group, replica)}",
        REPLICA_INDEX: str(replica),
        HOST_INDEX: str(host),
    }


def _keep_service(store: Store, cluster: JsonObject) -> None:
    name, namespace = head_service_name(cluster), namespace_of(cluster)
    if store.get("v1", "Service", namespace, name):
        return
    head = cluster["spec"]["headGroupSpec"]
    kind = head.get("serviceType") or "ClusterIP"
    spec: JsonObject = {
        "type": kind,
        "selector": {"ray.io/cluster": name_of(cluster), _NODE_TYPE: "head"},
        "ports": [
            {"name": n, "port": p, "protocol": "TCP"} for n, p in sorted(_ports(head).items())
        ],
    }
    if kind == "ClusterIP":
        spec |= {"clusterIP": "None", "publishNotReadyAddresses": True}
    metadata = {"name": name, "namespace": namespace, "labels": dict(spec["selector"])}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
    store.add(service, owner=cluster)


def _ports(head: JsonObject) -> dict[str, int]:
    container = head["template"]["spec"]["containers"][0]
    named = {p["name"]: p["containerPort"] for p in maps(container.get("ports")) if p.get("name")}
    return named | {name: port for name, port in _PORTS.items() if not named or name == "metrics"}


def _status(store: Store, cluster: JsonObject) -> JsonObject:
    groups = maps(cluster["spec"].get("workerGroupSpecs"))
    pods = store.owned_by(cluster, "Pod")
    workers = [pod for pod in pods if _type(pod) == "worker"]
    running = len([pod for pod in workers if is_running(pod)])
    desired = sum(workers_of(group) for group in groups)
    head = next((pod for pod in pods if _type(pod) == "head"), None)
    status: JsonObject = {
        "observedGeneration": cluster["metadata"]["generation"],
        "desiredWorkerReplicas": desired,
        "minWorkerReplicas": sum(g["minReplicas"] * g["numOfHosts"] for g in groups),
        "maxWorkerReplicas": sum(g["maxReplicas"] * g["numOfHosts"] for g in groups),
        "readyWorkerReplicas": running,
        "availableWorkerReplicas": running,
        **_desired_resources(cluster),
        "head": {
            "serviceName": head_service_name(cluster),
            **({"podName": name_of(head)} if head else {}),
        },
        "conditions": _conditions(pods, head, desired),
    }
    if cluster["spec"].get("suspend"):
        status["state"] = "suspended"
    elif _all_run(pods, desired):
        status["state"] = "ready"
    return status


def _type(pod: Mapping[str, Any]) -> str:
    return pod["metadata"]["labels"][_NODE_TYPE]


def _all_run(pods: list[JsonObject], desired: int) -> bool:
    return len(pods) == desired + 1 and all(map(is_running, pods))


def _conditions(pods: list[JsonObject], head: JsonObject | None, desired: int) -> list[JsonObject]:
    head_up = head is not None and is_running(head)
    found = "HeadPodRunningAndReady" if head_up else "ContainersNotReady"
    up = _all_run(pods, desired)
    return [
        {
            "type": "HeadPodReady",
            "status": str(head_up),
            "reason": found if head else "HeadPodNotFound",
        },
        {
            "type": "RayClusterProvisioned",
            "status": str(up),
            "reason": "AllPodRunningAndReadyFirstTime" if up else "RayClusterPodsProvisioning",
        },
    ]


def _desired_resources(cluster: JsonObject) -> JsonObject:
    spec = cluster["spec"]
    groups = maps(spec.get("workerGroupSpecs"))
    parts = [
        (1, head_template(spec)["spec"]),
        *((workers_of(g), g["template"]["spec"]) for g in groups),
    ]
    total: dict[str, Fraction] = {}
    for count, pod in parts:
        for name, amount in requests_of(pod).items():
            total[name] = total.get(name, Fraction(0)) + count * amount
    named = {
        "desiredCPU": "cpu",
        "desiredMemory": "memory",
        "desiredGPU": "nvidia.com/gpu",
        "desiredTPU": "google.com/tpu",
    }
    return {field: quantity.render(total.get(name, Fraction(0))) for field, name in named.items()}
