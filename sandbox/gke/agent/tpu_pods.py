"""What the TPU webhook writes into the pods of Ray's worker groups: which slice, which host of it.

Source: ai-on-gke/kuberay-tpu-webhook main.go, commit ef658db4 of 2026-05-20. KubeRay before 1.5
does not number replicas, so the webhook does. Left out: variables for several TPU containers in a
pod (TPU7x), and those of the device plugin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from kube.objects import JsonObject, dig, labels_of, maps, namespace_of
from sandbox.gke.tpu_webhook import (
    CLUSTER,
    GROUP,
    HOST_INDEX,
    REPLICA_INDEX,
    REPLICA_NAME,
    TOPOLOGY,
    TPU,
    chips_of,
    slice_of,
)

NUMBERED = "replicaIndex"
WORKER_ID = "TPU_WORKER_ID"
_POOL = "cloud.google.com/gke-nodepool"
_HEADLESS = "headless"
_MEGASCALE_PORT = "8081"
# What an image or a user may have written without knowing better.
_REPLACED = {WORKER_ID: "0", "TPU_WORKER_HOSTNAMES": "localhost"}
_LONGEST_SERVICE = 50


@dataclass(frozen=True)
class Host:
    """One host of one slice of a worker group."""

    namespace: str
    cluster: str
    group: str
    replica: int
    worker: int


def problem(pod: Mapping[str, Any]) -> str:
    """Why the webhook refuses a Ray pod that asks for TPUs; empty when it does not."""
    labels = labels_of(pod)
    if not chips_of(pod["spec"]):
        return ""
    for label in (CLUSTER, GROUP):
        if not labels.get(label):
            return f"Ray Pod created by KubeRay missing {label} label"
    if not (pod["spec"].get("nodeSelector") or {}).get(TOPOLOGY):
        return "Ray Pod created by KubeRay missing TPU topology nodeSelector"
    return ""


def hosts_of(spec: Mapping[str, Any]) -> int:
    dimensions = (spec.get("nodeSelector") or {})[TOPOLOGY].split("x")
    return max(prod(map(int, dimensions)) // chips_of(spec), 1)


def hosts_taken(pods: Sequence[Mapping[str, Any]]) -> Iterator[Host]:
    """The hosts that live pods have; those that are being deleted have none."""
    for pod in pods:
        labels = labels_of(pod)
        _, dash, replica = labels.get(NUMBERED, "").rpartition("-")
        worker = _worker_of(pod)
        if dash and worker is not None and not pod["metadata"].get("deletionTimestamp"):
            yield Host(namespace_of(pod), labels[CLUSTER], labels[GROUP], int(replica), worker)


def next_host(pod: Mapping[str, Any], taken: Sequence[Host]) -> Host:
    """The lowest free host of the first slice that has one; KubeRay's own numbers go before."""
    labels = labels_of(pod)
    place = (namespace_of(pod), labels[CLUSTER], labels[GROUP])
    if REPLICA_INDEX in labels and HOST_INDEX in labels:
        return Host(*place, int(labels[REPLICA_INDEX]), int(labels[HOST_INDEX]))
    used: dict[int, set[int]] = {}
    for host in taken:
        if (host.namespace, host.cluster, host.group) == place:
            used.setdefault(host.replica, set()).add(host.worker)
    size = hosts_of(pod["spec"])
    open_slices = [replica for replica, workers in used.items() if len(workers) < size]
    # A slice in the middle that has lost all its pods is made anew, not one after the last.
    replica = min(open_slices, default=next(n for n in range(len(used) + 1) if n not in used))
    worker = next(n for n in range(size) if n not in used.get(replica, set()))
    return Host(*place, replica, worker)


def assigned(pod: JsonObject, host: Host) -> JsonObject:
    """The pod as the webhook leaves it."""
    labels, spec = dict(labels_of(pod)), dict(pod["spec"])
    if REPLICA_INDEX not in labels:
        labels[NUMBERED] = f"{host.group}-{host.replica}"
    size = hosts_of(spec)
    if size > 1:
        spec["hostname"] = f"{host.group}-{host.replica}-{host.worker}"
        spec["subdomain"] = _service(host.cluster)
        spec["affinity"] = _affinity(labels, host)
    spec["containers"] = [
        _with_environment(container, host, size) if _asks(container) else container
        for container in maps(spec["containers"])
    ]
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}, "spec": spec}


def replica_of(pod: Mapping[str, Any]) -> str:
    """The slice that a pod belongs to, by KubeRay's number or the webhook's; empty without."""
    labels = labels_of(pod)
    if found := slice_of(pod):
        return found
    if NUMBERED not in labels or not dig(pod, "spec", "affinity", "podAffinity"):
        return ""
    return f"{namespace_of(pod)}/{labels.get(CLUSTER)}/{labels[NUMBERED]}"


def _service(cluster: str) -> str:
    """The headless service of a RayCluster: of a long name KubeRay keeps the end (CheckName of
    ray-operator/controllers/ray/utils, v1.4.2)."""
    name = f"{cluster}-{_HEADLESS}"[-_LONGEST_SERVICE:]
    return name if name[0].isalpha() else f"r{name[1:]}"


def _affinity(labels: Mapping[str, str], host: Host) -> JsonObject:
    """A slice is on one node pool, and alone there."""
    if REPLICA_NAME in labels and HOST_INDEX in labels:
        key, value = REPLICA_NAME, labels[REPLICA_NAME]
    else:
        key, value = NUMBERED, f"{host.group}-{host.replica}"
    mine = _expression(CLUSTER, "In", host.cluster)
    others = {**_expression("kubernetes.io/metadata.name", "NotIn", "kube-system")}
    return {
        "podAffinity": _required(_term([_expression(key, "In", value), mine])),
        "podAntiAffinity": _required(
            _term([_expression(key, "NotIn", value), mine]),
            {
                **_term([_expression(CLUSTER, "NotIn", host.cluster), _expression(key, "Exists")]),
                "namespaceSelector": {"matchExpressions": [others]},
            },
        ),
    }


def _required(*terms: JsonObject) -> JsonObject:
    return {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}


def _term(expressions: list[JsonObject]) -> JsonObject:
    return {"labelSelector": {"matchExpressions": expressions}, "topologyKey": _POOL}


def _expression(key: str, operator: str, *values: str) -> JsonObject:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def _with_environment(container: JsonObject, host: Host, size: int) -> JsonObject:
    there = maps(container.get("env"))
    names = {each["name"]: each.get("value", "") for each in there}
    headless = _service(host.cluster)
    added = {WORKER_ID: str(host.worker), "TPU_NAME": f"{host.group}-{host.replica}"}
    if "MEGASCALE_NUM_SLICES" in names:
        added |= {
            "MEGASCALE_SLICE_ID": str(host.replica),
            "MEGASCALE_COORDINATOR_ADDRESS": f"{host.group}-0-0.{headless}",
            "MEGASCALE_PORT": _MEGASCALE_PORT,
        }
    if size > 1:
        added["TPU_WORKER_HOSTNAMES"] = ",".join(
            f"{host.group}-{host.replica}-{number}.{headless}" for number in range(size)
        )
    missing = {
        name: value
        for name, value in added.items()
        if names.get(name, "") in ("", _REPLACED.get(name))
    }
    kept = [each for each in there if each["name"] not in missing]
    env = [*kept, *({"name": name, "value": value} for name, value in missing.items())]
    return {**container, "env": env}


def _worker_of(pod: Mapping[str, Any]) -> int | None:
    for container in maps(pod["spec"].get("containers")):
        for variable in maps(container.get("env")):
            if variable["name"] == WORKER_ID and str(variable.get("value", "")).isdecimal():
                return int(variable["value"])
    return None


def _asks(container: Mapping[str, Any]) -> bool:
    return any(dig(container, "resources", field, TPU) for field in ("limits", "requests"))
