"""What ComputeClass objects ask of Autopilot, in the words of pods' own node selectors.

Left out: priorities that name node pools, and conditions other than those of accelerators and of
where machines come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kube.errors import KubeError
from kube.objects import JsonObject, dig, maps
from sandbox.gke.compute_class_rules import API, KIND
from sandbox.kube.store import Store

_GKE = "cloud.google.com"
CLASS = f"{_GKE}/compute-class"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ZONE = "topology.kubernetes.io/zone"
# GKE documentation, "About built-in compute classes in GKE".
_BUILT_IN = ("Accelerator", "Balanced", "Performance", "Scale-Out", "autopilot", "autopilot-spot")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """One kind of node that would do for a pod; with `dranet` it can claim the interfaces."""

    selector: Mapping[str, str]
    dranet: bool = False


def wishes(state: JsonObject, selector: Mapping[str, str]) -> list[Wish]:
    """What the selector asks for, one for each choice that a class leaves, best first; `state` is
    the cluster's. Raises KubeError for a class that is not there or has no such nodes."""
    name = selector.get(CLASS)
    if name is None or name in _BUILT_IN:
        return [Wish(selector=selector)]
    found = Store(state).get(API, KIND, "", name)
    if found is None:
        raise KubeError(f'computeclasses.{_GKE} "{name}" not found', reason="NotFound")
    spec = found["spec"]
    choices = [choice for each in maps(spec.get("priorities")) for choice in _choices(each)]
    dranet = bool(dig(spec, "nodePoolConfig", "dra", "networking", "enabled"))
    fitting = [
        Wish(selector={**selector, **choice}, dranet=dranet)
        for choice in choices
        if all(selector.get(key, value) == value for key, value in choice.items())
    ]
    if not fitting:
        has = "; ".join(", ".join(f"{k}={v}" for k, v in each.items()) for each in choices)
        raise KubeError(
            f'{KIND} "{name}" has nothing that the pod selects; it has: {has or "no priorities"}'
        )
    return fitting


def _choices(priority: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """A priority once for each of its reservations and zones."""
    asked = {
        INSTANCE_TYPE: priority.get("machineType"),
        f"{_GKE}/machine-family": priority.get("machineFamily"),
        f"{_GKE}/gke-spot": "true" if priority.get("spot") else None,
        f"{_GKE}/gke-flex-start": "true" if dig(priority, "flexStart", "enabled") else None,
        f"{_GKE}/gke-accelerator": dig(priority, "gpu", "type"),
        f"{_GKE}/gke-gpu-driver-version": dig(priority, "gpu", "driverVersion"),
        f"{_GKE}/gke-tpu-accelerator": dig(priority, "tpu", "type"),
        f"{_GKE}/gke-tpu-topology": dig(priority, "tpu", "topology"),
        f"{_GKE}/gke-accelerator-count": (priority.get("tpu") or priority.get("gpu") or {}).get(
            "count"
        ),
    }
    base = {key: str(value) for key, value in asked.items() if value is not None}
    for reservation in maps(dig(priority, "reservations", "specific")) or [{}]:
        zones = reservation.get("zones") or dig(priority, "location", "zones") or [None]
        for zone in zones:
            yield {**base, **_reserved(reservation), **({ZONE: zone} if zone else {})}


def _reserved(reservation: Mapping[str, Any]) -> dict[str, str]:
    parts = {
        "name": reservation.get("name"),
        "project": reservation.get("project"),
        "blocks": dig(reservation, "reservationBlock", "name"),
        "subblocks": dig(reservation, "reservationBlock", "reservationSubBlock", "name"),
    }
    return {f"{_GKE}/reservation-{key}": value for key, value in parts.items() if value}
