"""Devices of a node, from which kube-scheduler allocates claims: DRANET's interfaces, and the GPUs
of NVIDIA's driver for them.

Driver, names and attributes: google/dranet, 7b7661a; NVIDIA/k8s-dra-driver-gpu, as guides for GKE
show its slices. Two GPUs and two interfaces of A4 are at one PCIe switch (`nvidia-smi topo -m` in
google/dranet site/content/docs/user/gke-rdma.md, 7b7661a), so by pairs at a root here, too. Left
out: what the roots are called on such a machine, and what else is said of the devices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kube.kinds import DRANET_DRIVER
from kube.objects import JsonObject, Node
from sandbox.kube.claims import API, CHANNEL_CLASS, DEVICE_CLASSES, GPU_CLASS
from sandbox.live_kube.api import Kind

SLICE: Kind = (API, "ResourceSlice")
GPU_DRIVER = "gpu.nvidia.com"
DOMAIN_DRIVER = "compute-domain.nvidia.com"
PCIE_ROOT = "resource.kubernetes.io/pcieRoot"
_RDMA = DEVICE_CLASSES["rdma"]
_AT_A_ROOT = 2


def slices_of_node(node: Node, live: Mapping[str, Any]) -> list[JsonObject]:
    """The ResourceSlices, one of each driver with devices, owned by the live node."""
    found = {
        DRANET_DRIVER: _interfaces(node),
        GPU_DRIVER: _gpus(node),
        DOMAIN_DRIVER: _channels(node),
    }
    return [_slice(node, live, driver, it) for driver, it in found.items() if it]


def _slice(
    node: Node, live: Mapping[str, Any], driver: str, devices: list[JsonObject]
) -> JsonObject:
    owner = {"apiVersion": "v1", "kind": "Node", "name": node.name, "uid": live["metadata"]["uid"]}
    name = f"{node.name}-{driver}"
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": name, "ownerReferences": [{**owner, "controller": True}]},
        "spec": {
            "driver": driver,
            "nodeName": node.name,
            "pool": {"name": node.name, "generation": 1, "resourceSliceCount": 1},
            "devices": devices,
        },
    }


def _interfaces(node: Node) -> list[JsonObject]:
    return [
        _interface(number, rdma=device_class == _RDMA)
        for device_class, count in sorted(node.devices.items())
        if device_class in DEVICE_CLASSES.values()
        for number in range(count)
    ]


def _interface(number: int, *, rdma: bool) -> JsonObject:
    name = f"gpu{number}rdma0" if rdma else f"eth{number + 1}"
    attributes: JsonObject = {
        f"{DRANET_DRIVER}/ifName": {"string": name},
        f"{DRANET_DRIVER}/rdma": {"bool": rdma},
    }
    return {"name": name, "attributes": attributes | (_root(number) if rdma else {})}


def _gpus(node: Node) -> list[JsonObject]:
    return [
        {
            "name": f"gpu-{number}",
            "attributes": {f"{GPU_DRIVER}/type": {"string": "gpu"}, **_root(number)},
        }
        for number in range(node.devices.get(GPU_CLASS, 0))
    ]


def _channels(node: Node) -> list[JsonObject]:
    """Of the NVLink domain that the node is of."""
    return [
        {
            "name": f"channel-{number}",
            "attributes": {
                f"{DOMAIN_DRIVER}/type": {"string": "channel"},
                f"{DOMAIN_DRIVER}/id": {"int": number},
            },
        }
        for number in range(node.devices.get(CHANNEL_CLASS, 0))
    ]


def _root(number: int) -> JsonObject:
    return {PCIE_ROOT: {"string": f"pci0000:{number // _AT_A_ROOT:02x}"}}
