"""ProvisioningRequest: accepted, and provisioned once there is room for all its pods at once.

Conditions, reasons and texts are those of GKE's autoscaler (GoogleCloudPlatform/cluster-autoscaler,
pkg/provisioningrequests). There it fails a request that no pool can ever take; here such a request
waits for one. As there is no time in here, no booking expires.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby

from kube.objects import JsonObject, Node, name_of, namespace_of
from sandbox.gke.networks import with_networks
from sandbox.gke.pod_webhooks import mutated
from sandbox.gke.provisioning_rules import KIND
from sandbox.gke.queued_machines import (
    NODES,
    QUEUED_TAINT,
    RESIZE_REQUEST,
    holds,
    is_queued,
    standing,
)
from sandbox.kube.pods import pod_from, suffix
from sandbox.kube.scheduler import Candidate, place
from sandbox.kube.store import Store

_ZONE = "topology.kubernetes.io/zone"
_TOLERATION = {"key": QUEUED_TAINT, "operator": "Equal", "value": "true", "effect": "NoSchedule"}
_REVOKED = (
    "Capacity provisioned for the Provisioning Request was reclaimed and is no longer available in "
    "the cluster."
)


def run_provisioning_requests(store: Store, nodes: Sequence[Node]) -> None:
    """`nodes` are those that queued pools could have, too."""
    for request in store.all(KIND):
        if holds(request, "Provisioned"):
            _keep(store, request, nodes)
        else:
            store.patch(request, status=_status(store, request, nodes))


def _keep(store: Store, request: JsonObject, nodes: Sequence[Node]) -> None:
    status = request["status"]
    if {*status[NODES]} <= {node.name for node in nodes}:
        return
    revoked = _condition("CapacityRevoked", "CapacityRevoked", _REVOKED)
    conditions = [*status["conditions"], revoked]
    store.patch(request, status={**status, NODES: [], "conditions": conditions})


def _status(store: Store, request: JsonObject, nodes: Sequence[Node]) -> JsonObject:
    (pods,) = request["spec"]["podSets"]
    wanted, name = pods["count"], pods["podTemplateRef"]["name"]
    template = store.get("v1", "PodTemplate", namespace_of(request), name)
    if template is None:
        text = f"Provisioning Request will fail soon as it is missing pod template {name}"
        missing = _condition("Accepted", "MissingPodTemplates", text, met=False)
        return {"conditions": [missing]}
    accepted = _condition(
        "Accepted", "SuccessfullyQueued", "Provisioning Request was successfully queued."
    )
    there = {node.name for node in standing(store, nodes)}
    free = [node for node in nodes if is_queued(node) and node.name not in there]
    found, why = _room(_spec(store, template), wanted, with_networks(store, free))
    if not found:
        reason = "NotProvisioned" if free else "NoQueuedNodepoolAvailable"
        return {"conditions": [accepted, _condition("Provisioned", reason, why, met=False)]}
    text = "Provisioning Request was successfully provisioned."
    details = {
        "NodePoolName": found[0].pool,
        "PodTemplateName": name,
        RESIZE_REQUEST: f"gke-{name_of(request)}-{suffix(request['metadata']['uid'])}",
        "SelectedZone": found[0].labels.get(_ZONE, ""),
    }
    return {
        "conditions": [accepted, _condition("Provisioned", "Provisioned", text)],
        "provisioningClassDetails": details,
        NODES: [node.name for node in found],
    }


def _spec(store: Store, template: JsonObject) -> JsonObject:
    """What the autoscaler looks for room for: it adds the toleration by itself."""
    pod = pod_from(
        template["template"],
        name=name_of(template),
        namespace=namespace_of(template),
        labels={},
    )
    spec = mutated(store, pod)["spec"]
    return {**spec, "tolerations": [*(spec.get("tolerations") or []), _TOLERATION]}


def _room(spec: JsonObject, wanted: int, free: Sequence[Node]) -> tuple[list[Node], str]:
    """The fewest nodes of one pool and zone that hold all pods, or why none do."""
    why = f"no queued node is free, and {wanted} pods wait for some"
    for _, group in groupby(sorted(free, key=_pool_and_zone), key=_pool_and_zone):
        nodes = list(group)
        left = _unplaced(spec, wanted, nodes)
        if not left:
            sizes = range(1, len(nodes) + 1)
            at = bisect_left(sizes, True, key=lambda n: not _unplaced(spec, wanted, nodes[:n]))
            return nodes[: sizes[at]], ""
        why = f"{len(left)} of {wanted} pods have no place: {left[0]}"
    return [], why


def _pool_and_zone(node: Node) -> tuple[str, str]:
    return node.pool, node.labels.get(_ZONE, "")


def _unplaced(spec: JsonObject, wanted: int, nodes: Sequence[Node]) -> list[str]:
    candidates = [Candidate(key=str(number), spec=spec) for number in range(wanted)]
    return [spot.reason for spot in place(candidates, nodes).values() if not spot.node]


def _condition(kind: str, reason: str, message: str, *, met: bool = True) -> JsonObject:
    status = "True" if met else "False"
    return {"type": kind, "status": status, "reason": reason, "message": message}
