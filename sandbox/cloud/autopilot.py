"""The node that Autopilot makes for a pod: from a node pool such as GKE would make for it alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from catalog import FactError, MachineType
from sandbox.cloud.kind import Resource
from sandbox.cloud.kinds.pool_capacity import RESERVATION_KEY, check_capacity
from sandbox.cloud.kinds.pool_networks import check_additional_networks
from sandbox.cloud.kinds.pools import POOL, pool_region
from sandbox.cloud.nodes import pool_nodes
from sandbox.errors import CloudError
from sandbox.kube import Node, Provision, fits, networks_asked

if TYPE_CHECKING:
    from sandbox.cloud.cloud import Cloud

_GKE = "cloud.google.com"
_ZONE = "topology.kubernetes.io/zone"
_RESERVATION = ("name", "project", "blocks", "subblocks")
_GRANTED = frozenset(
    f"{_GKE}/{label}"
    for label in ("compute-class", *(f"reservation-{part}" for part in ("affinity", *_RESERVATION)))
)
# What pods that name no machine family run on.
_FAMILY = "e2"


def provisioner(cluster: Resource, cloud: Cloud) -> Provision:
    state = cloud.kubernetes(cluster.id)

    def provision(pod: Mapping[str, Any], /) -> Node | str:
        selector: Mapping[str, str] = pod["spec"].get("nodeSelector") or {}
        pool_id = f"{cluster.id}/nodePools/auto"
        try:
            zone = _zone(selector, cluster, cloud)
            machine = _machine(pod, selector, zone, cloud)
            inputs = _pool(selector, zone, machine, networks_asked(state, pod))
            check_capacity(pool_id, inputs, cluster, machine, cloud)
            check_additional_networks(pool_id, inputs, cluster, machine, cloud)
        except (CloudError, FactError) as error:
            return f"Autopilot makes no node: {error}"
        node = next(pool_nodes(Resource(POOL, pool_id, inputs, {}), cluster, cloud))
        # Autopilot labels the node with what the pod asked of it.
        asked = {key: value for key, value in selector.items() if key in _GRANTED}
        return replace(node, labels={**node.labels, **asked})

    return provision


def _zone(selector: Mapping[str, str], cluster: Resource, cloud: Cloud) -> str:
    region = pool_region(cluster.id + "/")
    allowed = cluster["nodeLocations"] or list(cloud.catalog.zones_in(region))
    zone = selector.get(_ZONE, allowed[0])
    if zone not in allowed:
        raise CloudError(
            "INVALID_ARGUMENT", f'zone "{zone}" has no nodes; nearest: {", ".join(allowed)}'
        )
    return zone


def _machine(
    pod: Mapping[str, Any], selector: Mapping[str, str], zone: str, cloud: Cloud
) -> MachineType:
    """The smallest that the pod fits and that its selectors allow."""
    wanted = selector.get(f"{_GKE}/gke-accelerator")
    count = selector.get(f"{_GKE}/gke-accelerator-count")
    family = selector.get(f"{_GKE}/machine-family", _FAMILY)
    allowed = [
        machine
        for machine in cloud.catalog.machines.values()
        if (
            machine.accelerator is not None
            and machine.accelerator.type == wanted
            and count in (None, str(machine.accelerator.count))
            if wanted
            else machine.accelerator is None and machine.family == family
        )
    ]
    described = f"{count or ''} {wanted}".strip() if wanted else f"family {family}"
    if not allowed:
        raise CloudError("INVALID_ARGUMENT", f"there is no machine type with {described}")
    offered = [it for it in allowed if cloud.catalog.offers(zone, it.name)]
    if not offered:
        cloud.catalog.check_offer(zone, allowed[0].name)
    for machine in sorted(offered, key=lambda it: (it.vcpus, it.memory_gib)):
        free = cloud.catalog.allocatable(machine.name)
        room = {
            "cpu": f"{free.cpu_millicores}m",
            "memory": f"{free.memory_mib}Mi",
            "ephemeral-storage": f"{free.ephemeral_storage_mib}Mi",
        }
        if fits(pod["spec"], room):
            return machine
    raise CloudError(
        "INVALID_ARGUMENT", f"the pod asks for more than the largest machine with {described} has"
    )


def _pool(
    selector: Mapping[str, str],
    zone: str,
    machine: MachineType,
    networks: list[tuple[str, str]],
) -> dict[str, Any]:
    node: dict[str, Any] = {"machineType": machine.name}
    if selector.get(f"{_GKE}/gke-spot") == "true":
        node["spot"] = True
    if reservation := _reservation(selector):
        node["reservationAffinity"] = {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "key": RESERVATION_KEY,
            "values": [reservation],
        }
    return {
        "name": "auto",
        "initialNodeCount": 1,
        "nodeLocations": [zone],
        "nodeConfig": node,
        "networkConfig": {
            "additionalNodeNetworkConfigs": [
                {"network": network, "subnetwork": subnetwork} for network, subnetwork in networks
            ]
        },
    }


def _reservation(selector: Mapping[str, str]) -> str | None:
    parts = {key: selector.get(f"{_GKE}/reservation-{key}") for key in _RESERVATION}
    if not parts["name"]:
        return None
    found = parts["name"]
    if parts["project"]:
        found = f"projects/{parts['project']}/reservations/{found}"
    if parts["blocks"]:
        found += f"/reservationBlocks/{parts['blocks']}"
    if parts["subblocks"]:
        found += f"/reservationSubBlocks/{parts['subblocks']}"
    return found
