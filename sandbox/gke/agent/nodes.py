"""Brings the cluster's nodes to what they are to be; a node that goes takes its pods with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kube.objects import JsonObject, Node, dig, name_of
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.resource import Resource
from sandbox.gke.agent.live import Live
from sandbox.gke.agent.machines import (
    NODE,
    has_drifted,
    is_machine,
    manifest,
    new_manifest,
    offers,
    read,
)
from sandbox.gke.agent.pools import plan_nodes
from sandbox.gke.agent.slices import SLICE, slices_of_node
from sandbox.kube.pods import FINISHED, phase
from sandbox.kube.store import Store
from sandbox.live_kube.api import Api

POD = ("v1", "Pod")
# As the kubelet says when its machine is shut down, which GKE does to preempted ones
# (kubernetes/kubernetes pkg/kubelet/nodeshutdown/nodeshutdown_manager.go, v1.36.0).
_SHUTDOWN = "Pod was terminated in response to imminent node shutdown."
_TERMINATED = {
    "phase": "Failed",
    "reason": "Terminated",
    "message": _SHUTDOWN,
    "conditions": [
        {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "TerminationByKubelet",
            "message": _SHUTDOWN,
        }
    ],
}


def keep_nodes(
    api: Api, live: Live, store: Store, cluster: Resource, cloud: Cloud
) -> Mapping[str, str]:
    """Returns why pods (namespace/name) wait all the same."""
    there = {name_of(node): node for node in live.objects(NODE) if is_machine(node)}
    plan = plan_nodes(store, [read(node) for node in there.values()], cluster, cloud)
    wanted = plan.nodes
    for node in wanted:
        _keep_node(api, live, node, there.get(node.name))
    names = {node.name for node in wanted}
    for name, node in there.items():
        if name not in names:
            api.delete(node)
    _keep_slices(api, live, wanted, there)
    _clear_pods(api, live, names | {name_of(node) for node in live.objects(NODE)} - {*there})
    return plan.waiting


def _keep_node(api: Api, live: Live, node: Node, found: JsonObject | None) -> None:
    if found is None:
        live.put(api.apply(new_manifest(node)))
        return
    if has_drifted(node, found):
        found = api.apply(manifest(node, found))
        live.put(found)
    if amounts := offers(node, found):
        status = {"allocatable": amounts, "capacity": amounts}
        live.put(api.patch(found, {"status": status}, "status"))


def _keep_slices(
    api: Api, live: Live, nodes: Sequence[Node], there: Mapping[str, JsonObject]
) -> None:
    """The devices of each node; a slice goes with its node by its owner."""
    slices = {name_of(each): each for each in live.objects(SLICE)}
    for node in nodes:
        if node.name not in there:
            continue
        for wanted in slices_of_node(node, there[node.name]):
            found = slices.get(name_of(wanted))
            if found is None or dig(found, "spec", "devices") != wanted["spec"]["devices"]:
                live.put(api.apply(wanted))


def _clear_pods(api: Api, live: Live, names: set[str]) -> None:
    """What ran on a machine that is gone has ended with it."""
    for pod in live.objects(POD):
        node = dig(pod, "spec", "nodeName")
        if node and node not in names:
            end_pod(api, pod)


def end_pod(api: Api, pod: Mapping[str, Any]) -> None:
    if phase(pod) not in FINISHED:
        api.patch(pod, {"status": _TERMINATED}, "status")
    api.delete(pod, at_once=True)
