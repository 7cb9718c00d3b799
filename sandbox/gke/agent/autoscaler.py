"""The cluster autoscaler: which nodes that are not there yet would take the pods that wait.

Left out: it takes no idle node away (GKE does after ten minutes), and it knows of affinity between
pods only that of TPU slices.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube.objects import DeviceRequest, JsonObject, Node, dig, maps, name_of, namespace_of
from sandbox.gke.agent.tpu_pods import replica_of
from sandbox.kube.claims import API as CLAIM_API
from sandbox.kube.pods import FINISHED, phase
from sandbox.kube.scheduler import Candidate, admits, place
from sandbox.kube.store import Store, owner_of
from sandbox.kube.volumes import claim_names

# All of these nodes, or the first so many of them.
Pool = tuple[Sequence[Node], bool]


def is_waiting(pod: Mapping[str, Any]) -> bool:
    """Whether kube-scheduler has found no node for the pod, and will not preempt for it."""
    conditions = maps(dig(pod, "status", "conditions"))
    unschedulable = any(
        each["type"] == "PodScheduled" and each.get("reason") == "Unschedulable"
        for each in conditions
    )
    return (
        unschedulable
        and not dig(pod, "spec", "nodeName")
        and not dig(pod, "status", "nominatedNodeName")
        and not pod["metadata"].get("deletionTimestamp")
        # Its pods are made for nodes, and never the other way round.
        and owner_of(pod).get("kind") != "DaemonSet"
    )


def candidates(store: Store) -> list[Candidate]:
    """The pods that have nodes and those that wait for one, oldest first."""
    pods = [pod for pod in store.all("Pod") if phase(pod) not in FINISHED]
    return [
        _candidate(store, pod) for pod in pods if dig(pod, "spec", "nodeName") or is_waiting(pod)
    ]


def unplaced(pods: Iterable[Candidate], nodes: Sequence[Node]) -> dict[str, str]:
    """The pods without a place, and why; those that have a node elsewhere are none of them."""
    waiting = {pod.key for pod in pods if not pod.node}
    spots = place(pods, nodes)
    return {key: spot.reason for key, spot in spots.items() if key in waiting and not spot.node}


def additions(
    pods: Sequence[Candidate], there: Sequence[Node], pools: Sequence[Pool]
) -> list[Node]:
    """The fewest nodes, pool by pool, with which as many pods as possible have a place; of a pool
    that is one slice all or none."""
    waiting = [pod for pod in pods if not pod.node and not pod.blocked]
    useful = [
        (nodes, whole)
        for nodes, whole in pools
        if nodes and any(admits(pod.spec, nodes[0]) for pod in waiting)
    ]
    left = len(unplaced(pods, there))
    best = len(unplaced(pods, [*there, *_all(useful)]))
    if best == left:
        return []
    chosen = [list(nodes) for nodes, _ in useful]
    # The last pools are spared first.
    for index in reversed(range(len(useful))):
        nodes, whole = useful[index]
        others = [node for at, kept in enumerate(chosen) if at != index for node in kept]
        sizes = [0, len(nodes)] if whole else range(len(nodes) + 1)
        at = bisect_left(
            sizes,
            True,
            key=lambda size: len(unplaced(pods, [*there, *others, *nodes[:size]])) <= best,
        )
        chosen[index] = list(nodes[: sizes[at]])
    return [node for kept in chosen for node in kept]


def _all(pools: Sequence[Pool]) -> list[Node]:
    return [node for nodes, _ in pools for node in nodes]


def _candidate(store: Store, pod: JsonObject) -> Candidate:
    return Candidate(
        key=f"{namespace_of(pod)}/{name_of(pod)}",
        spec=pod["spec"],
        priority=pod["spec"].get("priority") or 0,
        node=dig(pod, "spec", "nodeName") or "",
        blocked=next(_missing_claims(store, pod), ""),
        slice=replica_of(pod),
        claims=_devices(store, pod),
    )


def _missing_claims(store: Store, pod: JsonObject):
    """Volumes that no new node would bring."""
    for name in claim_names(pod["spec"]):
        claim = store.get("v1", "PersistentVolumeClaim", namespace_of(pod), name)
        if claim is None:
            yield f'persistentvolumeclaim "{name}" not found'
        elif dig(claim, "status", "phase") != "Bound" and not _binds_late(store, claim):
            yield f'persistentvolumeclaim "{name}" is not bound'


def _binds_late(store: Store, claim: JsonObject) -> bool:
    wanted = dig(claim, "spec", "storageClassName") or ""
    return store.binding_mode(wanted) == "WaitForFirstConsumer"


def _devices(store: Store, pod: JsonObject) -> tuple[DeviceRequest, ...]:
    """What the pod's claims ask for, as long as they are not allocated or the pod has a node."""
    made = {
        each["name"]: each.get("resourceClaimName")
        for each in maps(dig(pod, "status", "resourceClaimStatuses"))
    }
    found: list[DeviceRequest] = []
    for claim in maps(pod["spec"].get("resourceClaims")):
        name = claim.get("resourceClaimName") or made.get(claim["name"]) or ""
        live = store.get(CLAIM_API, "ResourceClaim", namespace_of(pod), name)
        for request in maps(dig(live, "spec", "devices", "requests")):
            exactly = request.get("exactly") or {}
            all_of_them = exactly.get("allocationMode") == "All"
            found.append(
                DeviceRequest(
                    device_class=exactly.get("deviceClassName", ""),
                    count=None if all_of_them else exactly.get("count", 1),
                )
            )
    return tuple(found)
