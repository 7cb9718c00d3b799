"""Gives pods their nodes: those of the node pools, and those that Autopilot makes for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sandbox.gke.autopilot_nodes import node_for, node_name
from sandbox.gke.networks import with_networks
from sandbox.gke.pod_webhooks import mutated
from sandbox.gke.queued_machines import standing
from sandbox.gke.tpu_webhook import slice_of
from sandbox.kube.claims import devices_claimed
from sandbox.kube.objects import JsonObject, Node, Provision, dig, name_of, namespace_of
from sandbox.kube.pods import FINISHED, is_running, phase
from sandbox.kube.scheduler import Candidate, Place, place
from sandbox.kube.store import Store, owner_of
from sandbox.memory_kube.pod_waits import GATED, blocks_scheduling, blocks_start


def nodes_now(store: Store, fixed: Sequence[Node], provision: Provision | None) -> list[Node]:
    """The fixed nodes and those that Autopilot keeps for the pods that run on them."""
    made = [
        _made_for(store, pod, provision)
        for pod in _alive(store)
        if provision and dig(pod, "spec", "nodeName") == node_name(pod)
    ]
    there = standing(store, fixed)
    return with_networks(store, [*there, *(node for node in made if isinstance(node, Node))])


def place_pods(store: Store, fixed: Sequence[Node], provision: Provision | None) -> None:
    pods = {f"{namespace_of(pod)}/{name_of(pod)}": pod for pod in _alive(store)}
    candidates = {key: _candidate(store, key, pod) for key, pod in pods.items()}
    places = place(candidates.values(), with_networks(store, standing(store, fixed)))
    if provision:
        left = {key: pods[key] for key, spot in places.items() if not spot.node}
        places |= _provisioned(store, left, candidates, provision)
    for key, spot in places.items():
        _settle(store, pods[key], spot)


def _provisioned(
    store: Store,
    pods: Mapping[str, JsonObject],
    candidates: Mapping[str, Candidate],
    provision: Provision,
) -> dict[str, Place]:
    """A node of its own for each pod; only DaemonSets share it, which never make one."""
    places: dict[str, Place] = {}
    nodes: list[Node] = []
    wanting: list[Candidate] = []
    for key, pod in pods.items():
        candidate = candidates[key]
        if owner_of(pod).get("kind") == "DaemonSet":
            wanting.append(candidate)
        elif isinstance(made := _made_for(store, pod, provision), str):
            places[key] = Place(reason=candidate.blocked or made)
        else:
            nodes.append(made)
            wanting.append(replace(candidate, only=made.name))
    found = place(wanting, with_networks(store, nodes)) if nodes else {}
    # A DaemonSet's pod that waits for a fixed node has its reason from there.
    own = {each.key for each in wanting if each.only}
    return places | {key: spot for key, spot in found.items() if spot.node or key in own}


def _alive(store: Store) -> list[JsonObject]:
    return [pod for pod in store.all("Pod") if phase(pod) not in FINISHED]


def _candidate(store: Store, key: str, pod: JsonObject) -> Candidate:
    return Candidate(
        key=key,
        spec=mutated(store, pod)["spec"],
        priority=store.priority(pod["spec"].get("priorityClassName")) or 0,
        node=dig(pod, "spec", "nodeName") or "",
        blocked=next(blocks_scheduling(store, pod), ""),
        slice=_slice(store, pod),
        claims=devices_claimed(store, pod),
    )


def _made_for(store: Store, pod: JsonObject, provision: Provision) -> Node | str:
    return node_for(mutated(store, pod), _slice(store, pod), provision)


def _slice(store: Store, pod: JsonObject) -> str:
    """The webhook that keeps a slice's pods together comes with GKE's add-on for Ray."""
    return slice_of(pod) if store.ray_addon else ""


def _settle(store: Store, pod: JsonObject, spot: Place) -> None:
    spec = {k: v for k, v in pod["spec"].items() if k != "nodeName"}
    if spot.node:
        spec["nodeName"] = spot.node
    moved = spec.get("nodeName") != pod["spec"].get("nodeName")
    pod = store.patch(pod, spec=spec)
    running = is_running(pod) and not moved
    store.patch(pod, status=_status(store, pod, spot.reason, running=running))


def _status(store: Store, pod: JsonObject, unplaced: str, *, running: bool) -> JsonObject:
    if unplaced:
        return {
            "phase": "Pending",
            "reason": GATED if unplaced.startswith(GATED) else "Unschedulable",
            "message": unplaced,
            "conditions": [_condition("PodScheduled", met=False), _condition("Ready", met=False)],
        }
    blocks = blocks_start(store, mutated(store, pod))
    reason, message = ("", "") if running else next(blocks, ("", ""))
    status: JsonObject = {
        "phase": "Pending" if reason else "Running",
        "conditions": [_condition("PodScheduled"), _condition("Ready", met=not reason)],
    }
    return status | ({"reason": reason, "message": message} if reason else {})


def _condition(kind: str, *, met: bool = True) -> JsonObject:
    return {"type": kind, "status": "True" if met else "False"}
