"""Gives pods their nodes: those of the node pools, and those that Autopilot makes for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kube.objects import JsonObject, Node, Provision, dig, name_of, namespace_of
from sandbox.gke.autopilot_nodes import node_for, node_name
from sandbox.gke.networks import with_networks
from sandbox.gke.pod_webhooks import mutated
from sandbox.gke.queued_machines import standing
from sandbox.gke.tpu_webhook import slice_of
from sandbox.kube.claims import devices_claimed
from sandbox.kube.pods import FINISHED, is_running, phase
from sandbox.kube.scheduler import Candidate, Place, place
from sandbox.kube.store import Store, owner_of
from sandbox.memory_kube.kueue.admission import on_flavors
from sandbox.memory_kube.kueue.queues import requests_machines
from sandbox.memory_kube.pod_waits import GATED, blocks_scheduling, blocks_start


def nodes_now(store: Store, fixed: Sequence[Node], provision: Provision | None) -> list[Node]:
    """The fixed nodes and those that Autopilot keeps for the pods that run on them."""
    made = [
        _made_for(store, pod, provision)
        for pod in _alive(store)
        if provision and dig(pod, "spec", "nodeName") == node_name(pod)
    ]
    there = _standing(store, fixed)
    return with_networks(store, [*there, *(node for node in made if isinstance(node, Node))])


def _standing(store: Store, fixed: Sequence[Node]) -> list[Node]:
    """The fixed nodes. Those of queued pools that Kueue requests for its work come as those of any
    pool from zero, for its work is admitted at once."""
    there = standing(store, fixed)
    if not requests_machines(store):
        return there
    requested = {node.name: node for node in there}
    return [requested.get(node.name, node) for node in fixed]


def place_pods(store: Store, fixed: Sequence[Node], provision: Provision | None) -> None:
    pods = {f"{namespace_of(pod)}/{name_of(pod)}": pod for pod in _alive(store)}
    candidates = {key: _candidate(store, key, pod) for key, pod in pods.items()}
    places = place(candidates.values(), with_networks(store, _standing(store, fixed)))
    drivers = {node.name: node.driver for node in fixed}
    if provision:
        left = {key: pods[key] for key, spot in places.items() if not spot.node}
        made, found = _provisioned(store, left, candidates, provision)
        drivers |= {node.name: node.driver for node in made}
        places |= found
    for key, spot in places.items():
        _settle(store, pods[key], spot, drivers.get(spot.node or "", 0))


def _provisioned(
    store: Store,
    pods: Mapping[str, JsonObject],
    candidates: Mapping[str, Candidate],
    provision: Provision,
) -> tuple[list[Node], dict[str, Place]]:
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
    return nodes, places | {key: spot for key, spot in found.items() if spot.node or key in own}


def _alive(store: Store) -> list[JsonObject]:
    return [pod for pod in store.all("Pod") if phase(pod) not in FINISHED]


def _candidate(store: Store, key: str, pod: JsonObject) -> Candidate:
    spec = mutated(store, pod)["spec"]
    return Candidate(
        key=key,
        spec=spec,
        choices=tuple(on_flavors(store, pod, spec)),
        priority=store.priority(pod["spec"].get("priorityClassName")) or 0,
        node=dig(pod, "spec", "nodeName") or "",
        blocked=next(blocks_scheduling(store, pod), ""),
        slice=_slice(store, pod),
        claims=devices_claimed(store, pod),
        of_every_node=owner_of(pod).get("kind") == "DaemonSet",
    )


def _made_for(store: Store, pod: JsonObject, provision: Provision) -> Node | str:
    made, found = mutated(store, pod), ""
    for spec in [*on_flavors(store, pod, made["spec"])] or [made["spec"]]:
        found = node_for({**made, "spec": spec}, _slice(store, pod), provision)
        if isinstance(found, Node):
            break
    return found


def _slice(store: Store, pod: JsonObject) -> str:
    """The webhook that keeps a slice's pods together comes with GKE's add-on for Ray."""
    return slice_of(pod) if store.ray_addon else ""


def _settle(store: Store, pod: JsonObject, spot: Place, driver: int) -> None:
    spec = {k: v for k, v in pod["spec"].items() if k != "nodeName"}
    if spot.node:
        spec["nodeName"] = spot.node
    moved = spec.get("nodeName") != pod["spec"].get("nodeName")
    pod = store.patch(pod, spec=spec)
    running = is_running(pod) and not moved
    store.patch(pod, status=_status(store, pod, spot.reason, driver, running=running))


def _status(
    store: Store, pod: JsonObject, unplaced: str, driver: int, *, running: bool
) -> JsonObject:
    if unplaced:
        return {
            "phase": "Pending",
            "reason": GATED if unplaced.startswith(GATED) else "Unschedulable",
            "message": unplaced,
            "conditions": [_condition("PodScheduled", met=False), _condition("Ready", met=False)],
        }
    blocks = blocks_start(store, mutated(store, pod), driver)
    reason, message = ("", "") if running else next(blocks, ("", ""))
    status: JsonObject = {
        "phase": "Pending" if reason else "Running",
        "conditions": [_condition("PodScheduled"), _condition("Ready", met=not reason)],
    }
    return status | ({"reason": reason, "message": message} if reason else {})


def _condition(kind: str, *, met: bool = True) -> JsonObject:
    return {"type": kind, "status": "True" if met else "False"}
