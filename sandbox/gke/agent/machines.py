"""Nodes as kwok takes them, and back: what a simulated machine is, written as a Node object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kube import quantity
from kube.objects import (
    JsonObject,
    Node,
    Taint,
    annotations_of,
    dig,
    labels_of,
    maps,
    name_of,
)
from sandbox.gke.pod_webhooks import NETWORK_RESOURCE
from sandbox.live_kube.api import AGENT, Kind

NODE: Kind = ("v1", "Node")
_POOL = "cloud.google.com/gke-nodepool"
_FAKE = {"kwok.x-k8s.io/node": "fake"}
# What a Node object has no field for: interfaces by (VPC, subnetwork), devices by class, and
# NVIDIA's driver.
_INTERFACES = "gke-agent/interfaces"
_DEVICES = "gke-agent/devices"
_DRIVER = "gke-agent/nvidia-driver"
_KUBERNETES_TAINT = "node.kubernetes.io/"


def is_machine(live: Mapping[str, Any]) -> bool:
    """Whether the agent made the node."""
    return _INTERFACES in annotations_of(live)


def manifest(node: Node, live: Mapping[str, Any] | None = None) -> JsonObject:
    """The Node object, with the taints that Kubernetes itself has put on the live one."""
    taints = [{"key": t.key, "value": t.value, "effect": t.effect} for t in node.taints]
    kept = [t for t in _taints(live or {}) if t["key"].startswith(_KUBERNETES_TAINT)]
    annotations = {
        **_FAKE,
        _INTERFACES: json.dumps(node.networks),
        _DEVICES: json.dumps(dict(sorted(node.devices.items()))),
        _DRIVER: str(node.driver),
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node.name, "labels": dict(node.labels), "annotations": annotations},
        "spec": {"taints": [*taints, *kept]},
    }


def new_manifest(node: Node) -> JsonObject:
    """The object that makes a node: with what it offers, which kwok would make up else."""
    amounts = dict(node.allocatable)
    return {**manifest(node), "status": {"allocatable": amounts, "capacity": amounts}}


def has_drifted(node: Node, live: JsonObject) -> bool:
    wanted = manifest(node, live)
    names = ("labels", "annotations")
    for name in names:
        there = dig(live, "metadata", name) or {}
        if any(there.get(key) != value for key, value in wanted["metadata"][name].items()):
            return True
    return _compared(wanted) != _compared(live) or bool(_labels_left(node, live))


def offers(node: Node, live: Mapping[str, Any]) -> dict[str, str | None]:
    """What the live node must offer more, or no longer (None); empty where it is right."""
    there: dict[str, str] = dig(live, "status", "allocatable") or {}
    gone = [
        name for name in there if name.startswith(NETWORK_RESOURCE) and name not in node.allocatable
    ]
    changed = {
        name: amount
        for name, amount in node.allocatable.items()
        # The API server writes amounts in its own way.
        if name not in there or quantity.parse(there[name]) != quantity.parse(amount)
    }
    return {**changed, **dict.fromkeys(gone)}


def read(live: Mapping[str, Any]) -> Node:
    annotations, labels = annotations_of(live), labels_of(live)
    return Node(
        name=name_of(live),
        pool=labels.get(_POOL, ""),
        labels=labels,
        taints=tuple(
            Taint(key=taint["key"], value=taint.get("value") or "", effect=taint["effect"])
            for taint in _taints(live)
            if not taint["key"].startswith(_KUBERNETES_TAINT)
        ),
        allocatable=dig(live, "status", "allocatable") or {},
        networks=tuple(
            (network, subnetwork) for network, subnetwork in json.loads(annotations[_INTERFACES])
        ),
        devices=json.loads(annotations.get(_DEVICES) or "{}"),
        driver=int(annotations.get(_DRIVER) or 0),
    )


def without_networks(node: Node) -> Node:
    """The node before additional networks are counted."""
    kept = {k: v for k, v in node.allocatable.items() if not k.startswith(NETWORK_RESOURCE)}
    return replace(node, allocatable=kept)


def _taints(live: Mapping[str, Any]) -> list[JsonObject]:
    return maps(dig(live, "spec", "taints"))


def _compared(obj: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    found = [(t["key"], t.get("value") or "", t["effect"]) for t in _taints(obj)]
    return sorted(found)


def _labels_left(node: Node, live: JsonObject) -> list[str]:
    """Labels that an earlier shape of the pool gave: those that the agent applied."""
    fields = [
        dig(entry, "fieldsV1", "f:metadata", "f:labels") or {}
        for entry in maps(dig(live, "metadata", "managedFields"))
        if (entry.get("manager"), entry.get("operation")) == (AGENT, "Apply")
    ]
    applied = {key.removeprefix("f:") for entry in fields for key in entry}
    return sorted(applied - {*node.labels, "."})
