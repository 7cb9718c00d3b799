"""RayCluster: a head pod, the workers of each group, and whether they run.

As in KubeRay 1.6.2 a changed template leaves running pods alone; only the number of replicas acts.
Unlike there, the state does not stay `ready` when a pod is lost later, and replicas of several
hosts come, go and are numbered as a whole, as in newer versions (RayMultiHostIndexing).
"""

import base64
import hashlib
from collections.abc import Sequence

from components.ray.manifest import TOKEN_KEY
from kube.objects import JsonObject, Node, dig, labels_of, maps, name_of, namespace_of
from sandbox.gke.tpu_webhook import CLUSTER, GROUP, HOST_INDEX, REPLICA_INDEX, REPLICA_NAME
from sandbox.kube.helm import ray_operator_runs
from sandbox.kube.pods import is_running, pod_from, suffix
from sandbox.kube.secrets import seal
from sandbox.kube.store import Store
from sandbox.memory_kube.owned_pods import keep_pods
from sandbox.memory_kube.ray_pods import (
    head_template,
    made_token_secret,
    with_token,
    workers_of,
)

_NODE_TYPE = "ray.io/node-type"
_PROVISIONED = "RayClusterProvisioned"


def run_ray_clusters(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    if not ray_operator_runs(store):
        return
    for cluster in store.all("RayCluster"):
        _make_token(store, cluster)
        suspended = bool(cluster["spec"].get("suspend"))
        keep_pods(store, cluster, {} if suspended else _wanted(cluster))
        store.patch(cluster, status=_status(store, cluster))


def _make_token(store: Store, cluster: JsonObject) -> None:
    """As reconcileAuthSecret: whatever Secret has the name already is left as it is."""
    name, namespace = made_token_secret(cluster), namespace_of(cluster)
    if name is None or store.get("v1", "Secret", namespace, name) is not None:
        return
    # KubeRay's token is random; here each cluster has one of its own.
    token = hashlib.sha256(f"{store.salt}/{cluster['metadata']['uid']}".encode()).digest()
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace, "labels": {CLUSTER: name_of(cluster)}},
        "type": "Opaque",
        "stringData": {TOKEN_KEY: base64.b64encode(token).decode()},
    }
    store.add(seal(secret, store.salt), owner=cluster)


def _wanted(cluster: JsonObject) -> dict[str, JsonObject]:
    spec, name = cluster["spec"], name_of(cluster)
    head = with_token(head_template(spec), cluster)
    pods = [_pod(cluster, head, _pod_name(name, "head"), "headgroup", "head")]
    for group in maps(spec.get("workerGroupSpecs")):
        worker = with_token(group["template"], cluster)
        prefix, hosts = f"{name}-{group['groupName']}", group["numOfHosts"]
        for index in range(workers_of(group)):
            pod_name = _pod_name(prefix, "worker", index)
            pod = _pod(cluster, worker, pod_name, group["groupName"], "worker")
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


def _status(store: Store, cluster: JsonObject) -> JsonObject:
    pods = store.owned_by(cluster, "Pod")
    desired = sum(map(workers_of, maps(cluster["spec"].get("workerGroupSpecs"))))
    running = [labels_of(pod)[_NODE_TYPE] for pod in pods if is_running(pod)]
    whole = len(pods) == len(running) == desired + 1
    conditions = {"HeadPodReady": "head" in running, _PROVISIONED: whole or _was_whole(cluster)}
    status: JsonObject = {
        "desiredWorkerReplicas": desired,
        "readyWorkerReplicas": running.count("worker"),
        "conditions": [{"type": name, "status": str(it)} for name, it in conditions.items()],
    }
    if cluster["spec"].get("suspend"):
        status["state"] = "suspended"
    elif whole:
        status["state"] = "ready"
    return status


def _was_whole(cluster: JsonObject) -> bool:
    """Once true it stays (raycluster_types.go, v1.6.2)."""
    conditions = maps(dig(cluster, "status", "conditions"))
    return {"type": _PROVISIONED, "status": "True"} in conditions
