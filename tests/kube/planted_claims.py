"""Jobs whose claims of devices cannot be met, each for a reason of its own. Their drivers publish
devices that every node reaches, so that no other cause's are in the way."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox.gke.agent.slices import PCIE_ROOT
from sandbox.kube.claims import API
from tests.kube.planted_causes import Manifest, Planted, job

_OURS = "ours: reports are of drivers before DRA had structured parameters"


def _driver(cause: str) -> str:
    return f"{cause}.example.com"


def _class(cause: str) -> Manifest:
    expression = f'device.driver == "{_driver(cause)}"'
    return {
        "apiVersion": API,
        "kind": "DeviceClass",
        "metadata": {"name": _driver(cause)},
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }


def _published(cause: str, devices: int) -> Manifest:
    """Each at a PCIe root of its own."""
    roots = [{PCIE_ROOT: {"string": f"pci{number}"}} for number in range(devices)]
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": cause},
        "spec": {
            "driver": _driver(cause),
            "allNodes": True,
            "pool": {"name": cause, "generation": 1, "resourceSliceCount": 1},
            "devices": [
                {"name": f"device-{number}", "attributes": root}
                for number, root in enumerate(roots)
            ],
        },
    }


def _template(cause: str, count: int, *, at_one_root: bool = False) -> Manifest:
    exactly = {
        "deviceClassName": _driver(cause),
        "allocationMode": "ExactCount",
        "count": count,
    }
    devices: Manifest = {"requests": [{"name": "device", "exactly": exactly}]}
    if at_one_root:
        devices["constraints"] = [{"matchAttribute": PCIE_ROOT, "requests": ["device"]}]
    return {
        "apiVersion": API,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": cause, "namespace": "default"},
        "spec": {"spec": {"devices": devices}},
    }


def _claiming(cause: str, name: str = "") -> Manifest:
    claims = [{"name": "devices", "resourceClaimTemplateName": cause}]
    return job(name or cause, resourceClaims=claims)


def _holder(cause: str) -> Manifest:
    return Planted(job=_claiming(cause, f"{cause}-holder")).pod


def _planted(cause: str, *beside: Manifest, source: str) -> Planted:
    return Planted(source=source, beside=beside, job=_claiming(cause))


def _all() -> Mapping[str, Planted]:
    return {
        "device-class-missing": _planted(
            "device-class-missing",
            _template("device-class-missing", 1),
            source="kubernetes-sigs/dra-driver-nvidia-gpu 338 of 2025-05-02",
        ),
        "no-devices": _planted(
            "no-devices", _class("no-devices"), _template("no-devices", 2), source=_OURS
        ),
        "too-few-devices": _planted(
            "too-few-devices",
            _class("too-few-devices"),
            _published("too-few-devices", 2),
            _template("too-few-devices", 3),
            source=_OURS,
        ),
        "devices-taken": _planted(
            "devices-taken",
            _class("devices-taken"),
            _published("devices-taken", 3),
            _template("devices-taken", 2),
            _holder("devices-taken"),
            source=_OURS,
        ),
        "devices-apart": _planted(
            "devices-apart",
            _class("devices-apart"),
            _published("devices-apart", 2),
            _template("devices-apart", 2, at_one_root=True),
            # There no device had the attribute; here each has another value.
            source="intel/intel-resource-drivers-for-kubernetes 60 of 2026-03-03",
        ),
    }


CLAIM_CAUSES: Mapping[str, Planted] = _all()
# What is said of each.
SENTENCES: Mapping[str, str] = {
    "device-class-missing": (
        "The claim devices asks for a device of class device-class-missing.example.com, and the "
        "cluster has no such class."
    ),
    "no-devices": (
        "The claim devices asks for 2 devices of class no-devices.example.com, and no node "
        "publishes any."
    ),
    "too-few-devices": (
        "The claim devices asks for 3 devices of class too-few-devices.example.com, and a node "
        "publishes 2 at the most."
    ),
    "devices-taken": (
        "The claim devices asks for 2 devices of class devices-taken.example.com, and a node has 1 "
        "free at the most: default/devices-taken-holder has 2."
    ),
    "devices-apart": (
        "The claim devices asks for devices of devices-apart.example.com at one pcieRoot, and a "
        "node publishes none such at the most."
    ),
}
