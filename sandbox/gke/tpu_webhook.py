"""GKE's webhook for Ray on TPUs: which Ray clusters it refuses, and which pods it keeps together.

It comes with GKE's add-on for Ray, not with KubeRay's chart.
Source: ai-on-gke/kuberay-tpu-webhook main.go, commit ef658db4. Left out: the environment that it
gives containers (TPU_WORKER_ID and the like), and host names.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from kube import quantity
from kube.objects import JsonObject, dig, labels_of, maps, namespace_of

TPU = "google.com/tpu"
TOPOLOGY = "cloud.google.com/gke-tpu-topology"
CLUSTER = "ray.io/cluster"
GROUP = "ray.io/group"
REPLICA_NAME = "ray.io/worker-group-replica-name"
REPLICA_INDEX = "ray.io/worker-group-replica-index"
HOST_INDEX = "ray.io/replica-host-index"
_WEBHOOK = "raycluster-kuberay-tpu-webhook.ray-system.svc"


def denial(cluster: Mapping[str, Any]) -> str:
    """Why the webhook refuses a RayCluster; empty when it does not."""
    for index, group in enumerate(maps(cluster["spec"].get("workerGroupSpecs"))):
        if why := _problem(group):
            at = f"spec.workerGroupSpecs[{index}]"
            return f'admission webhook "{_WEBHOOK}" denied the request: {at}: {why}'
    return ""


def slice_of(pod: Mapping[str, Any]) -> str:
    """The slice that all pods of a Ray replica share; empty for every other pod.

    The webhook gives them an affinity to the node pool of each other, and an anti-affinity to that
    of any other replica.
    """
    labels = labels_of(pod)
    if REPLICA_INDEX not in labels or not _asked(pod["spec"]):
        return ""
    return f"{namespace_of(pod)}/{labels[CLUSTER]}/{labels[GROUP]}-{labels[REPLICA_INDEX]}"


def tolerating_tpus(spec: JsonObject) -> JsonObject:
    """The spec with the toleration that Kubernetes adds to pods which ask for TPUs."""
    if not _asked(spec):
        return spec
    toleration = {"key": TPU, "operator": "Exists"}
    return {**spec, "tolerations": [*maps(spec.get("tolerations")), toleration]}


def chips_of(spec: Mapping[str, Any]) -> int:
    """The TPU chips of a pod; 0 also where its container says requests and leaves them out."""
    found = [_chips(container) for container in _asked(spec)]
    return found[-1] if found else 0


def _problem(group: Mapping[str, Any]) -> str:
    spec, hosts = group["template"]["spec"], group["numOfHosts"]
    if not _asked(spec):
        return ""
    topology = (spec.get("nodeSelector") or {}).get(TOPOLOGY)
    if not topology:
        return f"TPU topology not specified; nearest: nodeSelector {TOPOLOGY}"
    dimensions = topology.split("x")
    if not all(dimension.isdecimal() for dimension in dimensions):
        return f'topology "{topology}" is not numbers with x between them; nearest: 4x4'
    chips = chips_of(spec)
    if not chips:
        return f"Container does not set TPU limits; nearest: {TPU} in both limits and requests"
    expected = max(prod(map(int, dimensions)) // chips, 1)
    if hosts == expected:
        return ""
    return (
        f"Number of workers in worker group not equal to specified topology: numOfHosts {hosts}, "
        f"and {topology} with {chips} chips a worker has {expected}; nearest: {expected}"
    )


def _asked(spec: Mapping[str, Any]) -> list[JsonObject]:
    containers = maps(spec.get("containers"))
    return [
        container
        for container in containers
        if any(dig(container, "resources", field, TPU) for field in ("limits", "requests"))
    ]


def _chips(container: Mapping[str, Any]) -> int:
    limits, requested = (dig(container, "resources", field) for field in ("limits", "requests"))
    limit = (limits or {}).get(TPU, "0")
    request = limit if requested is None else requested.get(TPU, "0")
    return int(min(quantity.parse(limit), quantity.parse(request)))
