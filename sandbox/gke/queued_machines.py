"""Machines of queued node pools: which of them are there, and which pods may have them.

A queued pool has no node until a provisioned request brings some, which carry a label of that
request and the pool's taint. The names are those of GKE's autoscaler (GoogleCloudPlatform/
cluster-autoscaler pods.go, system_labels.go and queuedwrapper, 7d25050). That GKE narrows a pod to
the nodes of its request is documented; the webhook that does so is not published, and neither is
whether it adds a toleration of the taint, so here pods need their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kube.objects import JsonObject, Node, annotations_of, dig, maps, namespace_of
from sandbox.gke.provisioning_rules import API, KIND, QUEUED_CLASS
from sandbox.kube.pods import FINISHED, phase
from sandbox.kube.store import Store, owner_of

CONSUME = "autoscaling.x-k8s.io/consume-provisioning-request"
CLASS = "autoscaling.x-k8s.io/provisioning-class-name"
NODES = "sandboxNodes"
RESIZE_REQUEST = "ResizeRequestName"
QUEUED_TAINT = "cloud.google.com/gke-queued"
_NODE_LABEL = "autoscaling.gke.io/provisioning-request"


def is_queued(node: Node) -> bool:
    return any(taint.key == QUEUED_TAINT for taint in node.taints)


def condition(request: Mapping[str, Any], kind: str) -> JsonObject:
    """The condition of that type; empty when the request has none."""
    conditions = maps(dig(request, "status", "conditions"))
    return next((each for each in conditions if each["type"] == kind), {})


def holds(request: Mapping[str, Any], kind: str) -> bool:
    return condition(request, kind).get("status") == "True"


def standing(store: Store, nodes: Sequence[Node]) -> list[Node]:
    """The nodes without those of queued pools that no request has brought.

    A node outlives its request for as long as pods run on it.
    """
    labels = {
        name: {_NODE_LABEL: dig(request, "status", "provisioningClassDetails", RESIZE_REQUEST)}
        for request in store.all(KIND)
        for name in dig(request, "status", NODES) or []
    }
    used = {dig(pod, "spec", "nodeName") for pod in store.all("Pod") if _keeps_node(pod)}
    return [
        replace(node, labels={**node.labels, **labels.get(node.name, {})})
        for node in nodes
        if not is_queued(node) or node.name in labels or node.name in used
    ]


def _keeps_node(pod: Mapping[str, Any]) -> bool:
    return phase(pod) not in FINISHED and owner_of(pod).get("kind") != "DaemonSet"


def with_request(store: Store, pod: Mapping[str, Any], spec: JsonObject) -> JsonObject:
    """The pod's spec, narrowed to the nodes of the request that it consumes."""
    request = _consumed(store, pod)
    brought = dig(request, "status", "provisioningClassDetails", RESIZE_REQUEST)
    if not brought:
        return spec
    return {**spec, "nodeSelector": {**(spec.get("nodeSelector") or {}), _NODE_LABEL: brought}}


def waits_for_request(store: Store, pod: Mapping[str, Any]) -> Iterator[str]:
    annotations = annotations_of(pod)
    if CONSUME not in annotations:
        return
    if annotations.get(CLASS) != QUEUED_CLASS:
        yield f'annotation {CLASS}: "{annotations.get(CLASS, "")}" must be {QUEUED_CLASS}'
    name = f"ProvisioningRequest {namespace_of(pod)}/{annotations[CONSUME]}"
    request = _consumed(store, pod)
    if request is None:
        yield f"consuming {name} that does not exist"
    elif why := why_waiting(request):
        yield f"consuming {name}: {why}"


def why_waiting(request: Mapping[str, Any]) -> str:
    """Why its machines are not there; empty when they are."""
    if holds(request, "CapacityRevoked"):
        return condition(request, "CapacityRevoked")["message"]
    if holds(request, "Provisioned"):
        return ""
    why = condition(request, "Provisioned") or condition(request, "Accepted")
    return f"{why['reason']}: {why['message']}" if why else "it is not processed yet"


def _consumed(store: Store, pod: Mapping[str, Any]) -> JsonObject | None:
    name = annotations_of(pod).get(CONSUME)
    return store.get(API, KIND, namespace_of(pod), name) if name else None
