"""DRANET's devices of a node, from which kube-scheduler allocates claims.

Driver, names and attributes: google/dranet, and its slices on GKE in a tutorial of
GoogleCloudPlatform of 2026. Left out: where on the machine an interface is (PCIe root, NUMA node).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.kube.claims import API, DEVICE_CLASSES
from sandbox.kube.objects import JsonObject, Node
from sandbox.live_kube.api import Kind

SLICE: Kind = (API, "ResourceSlice")
DRIVER = "dra.net"
_RDMA = DEVICE_CLASSES["rdma"]


def has_driver(node: Node) -> bool:
    return bool(node.devices)


def slice_name(node: Node) -> str:
    return f"{node.name}-{DRIVER}"


def slice_of_node(node: Node, live: Mapping[str, Any]) -> JsonObject:
    """The ResourceSlice, owned by the live node."""
    owner = {"apiVersion": "v1", "kind": "Node", "name": node.name, "uid": live["metadata"]["uid"]}
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": slice_name(node), "ownerReferences": [{**owner, "controller": True}]},
        "spec": {
            "driver": DRIVER,
            "nodeName": node.name,
            "pool": {"name": node.name, "generation": 1, "resourceSliceCount": 1},
            "devices": _devices(node),
        },
    }


def _devices(node: Node) -> list[JsonObject]:
    return [
        _device(f"{'rdma' if device_class == _RDMA else 'eth'}{number}", device_class == _RDMA)
        for device_class, count in sorted(node.devices.items())
        for number in range(count)
    ]


def _device(name: str, is_rdma: bool) -> JsonObject:
    return {
        "name": name,
        "attributes": {
            f"{DRIVER}/ifName": {"string": name},
            f"{DRIVER}/rdma": {"bool": is_rdma},
        },
    }
