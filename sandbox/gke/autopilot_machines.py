"""Which machine type Autopilot takes for a pod, and in which zone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from catalog import MachineType
from kube.pod_requests import requests_of
from sandbox.cloud.kinds.pools import pool_region
from sandbox.cloud.resource import Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError
from sandbox.kube.scheduler import fits

_GKE = "cloud.google.com"
_ZONE = "topology.kubernetes.io/zone"
_INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_TPU = "google.com/tpu"
# What pods that name no machine family run on.
_FAMILY = "e2"


@dataclass(frozen=True)
class _Wanted:
    """What a selector and a pod say of the machine type; None: nothing."""

    gpu: str | None
    tpu: str | None
    topology: str | None
    count: str | None
    machine_type: str | None
    family: str

    def __str__(self) -> str:
        parts = (self.count, self.gpu or self.tpu, self.topology, self.machine_type)
        if self.gpu or self.tpu or self.machine_type:
            return " ".join(part for part in parts if part)
        return f"family {self.family}"

    def allows(self, machine: MachineType, cloud: View) -> bool:
        accelerator = machine.accelerator
        if self.machine_type not in (None, machine.name):
            return False
        if self.gpu or self.tpu:
            return (
                accelerator is not None
                and (accelerator.kind, accelerator.type)
                == ("gpu" if self.gpu else "tpu", self.gpu or self.tpu)
                and self.count in (None, str(accelerator.count))
                and (
                    self.topology is None or self.topology in cloud.catalog.topologies(machine.name)
                )
            )
        return accelerator is None and (self.machine_type or self.family) in (
            machine.name,
            machine.family,
        )


def choose_machine(
    pod: Mapping[str, Any], selector: Mapping[str, str], cluster: Resource, cloud: View
) -> tuple[str, MachineType]:
    """The first zone that has one, and there the smallest that the pod fits.

    Raises CloudError or FactError where there is none.
    """
    wanted = _wanted(pod, selector)
    allowed = [it for it in cloud.catalog.machines.values() if wanted.allows(it, cloud)]
    if not allowed:
        raise CloudError("INVALID_ARGUMENT", f"there is no machine type with {wanted}")
    zones = list(_zones(selector, cluster, cloud))
    for zone in zones:
        offered = [it for it in allowed if cloud.catalog.offers(zone, it.name)]
        for machine in sorted(offered, key=lambda it: (it.vcpus, it.memory_gib)):
            if _holds(pod, machine, cloud):
                return zone, machine
        if offered:
            raise CloudError(
                "INVALID_ARGUMENT",
                f"the pod asks for more than the largest machine with {wanted} has",
            )
    cloud.catalog.check_offer(zones[0], allowed[0].name)
    raise AssertionError("a zone that offers the machine was passed over")


def _wanted(pod: Mapping[str, Any], selector: Mapping[str, str]) -> _Wanted:
    asked = {
        key: selector.get(f"{_GKE}/gke-{key}")
        for key in ("accelerator", "accelerator-count", "tpu-accelerator", "tpu-topology")
    }
    count, chips = asked["accelerator-count"], requests_of(pod["spec"]).get(_TPU)
    # GKE documentation, "Deploy TPU workloads on GKE Autopilot", read 2026-11-23.
    if chips:
        for key in ("tpu-accelerator", "tpu-topology"):
            if asked[key] is None:
                raise CloudError(
                    "INVALID_ARGUMENT",
                    f"a pod that asks for {_TPU} needs a nodeSelector {_GKE}/gke-{key}",
                )
        if count not in (None, str(chips)):
            raise CloudError(
                "INVALID_ARGUMENT",
                f"the pod asks for {chips} {_TPU}, and its nodes have {count}; nearest: {count}",
            )
        count = str(chips)
    return _Wanted(
        gpu=asked["accelerator"],
        tpu=asked["tpu-accelerator"],
        topology=asked["tpu-topology"],
        count=count,
        machine_type=selector.get(_INSTANCE_TYPE),
        family=selector.get(f"{_GKE}/machine-family", _FAMILY),
    )


def _zones(selector: Mapping[str, str], cluster: Resource, cloud: View) -> Iterator[str]:
    region = pool_region(cluster.id + "/")
    allowed = cluster["nodeLocations"] or list(cloud.catalog.zones_in(region))
    zone = selector.get(_ZONE)
    if zone is None:
        yield from allowed
    elif zone in allowed:
        yield zone
    else:
        raise CloudError(
            "INVALID_ARGUMENT", f'zone "{zone}" has no nodes; nearest: {", ".join(allowed)}'
        )


def _holds(pod: Mapping[str, Any], machine: MachineType, cloud: View) -> bool:
    free = cloud.catalog.allocatable(machine.name, image_streaming=True)
    room = {
        "cpu": f"{free.cpu_millicores}m",
        "memory": f"{free.memory_mib}Mi",
        "ephemeral-storage": f"{free.ephemeral_storage_mib}Mi",
    }
    return fits(pod["spec"], room)
