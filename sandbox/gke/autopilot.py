"""The node that Autopilot makes for a pod: from a node pool such as GKE would make for it alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from catalog import FactError, MachineType, Topology
from components.pools.labels import DRANET_LABEL
from kube.errors import KubeError
from kube.objects import Node, Provision
from sandbox.cloud.kinds.pool_capacity import (
    RESERVATION_KEY,
    check_capacity,
    no_stock,
    stockout_of,
)
from sandbox.cloud.kinds.pool_networks import check_additional_networks
from sandbox.cloud.kinds.pool_tpus import check_tpus
from sandbox.cloud.kinds.pools import HELD_NETWORKS, POOL, pool_region
from sandbox.cloud.resource import Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError
from sandbox.gke.autopilot_machines import choose_machine
from sandbox.gke.compute_classes import Wish, wishes
from sandbox.gke.gpu_drivers import ASKED, DRIVER_LABEL
from sandbox.gke.networks import networks_asked
from sandbox.gke.nodes import devices_of, pool_nodes

_GKE = "cloud.google.com"
_RESERVATION = ("name", "project", "blocks", "subblocks")
_GRANTED = frozenset(
    f"{_GKE}/{label}"
    for label in ("compute-class", *(f"reservation-{part}" for part in ("affinity", *_RESERVATION)))
)


def provisioner(cluster: Resource, cloud: View) -> Provision:
    state = cloud.kubernetes(cluster.id)

    def provision(pod: Mapping[str, Any], /) -> Node | str:
        try:
            choices = wishes(state, pod["spec"].get("nodeSelector") or {})
        except KubeError as error:
            return f"Autopilot makes no node: {error}"
        networks, reasons = networks_asked(state, pod), dict[str, None]()
        for wish in choices:
            try:
                node = _node(pod, wish, networks, cluster, cloud)
                _keep(state, networks)
                return node
            except (CloudError, FactError) as error:
                reasons[str(error)] = None
        return f"Autopilot makes no node: {'; '.join(reasons)}"

    return provision


def _keep(state: dict[str, Any], networks: list[tuple[str, str]]) -> None:
    """A node outlives its pods for a while, and stays in its networks."""
    held = state.setdefault(HELD_NETWORKS, [])
    held.extend(list(one) for one in networks if list(one) not in held)


def _node(
    pod: Mapping[str, Any],
    wish: Wish,
    networks: list[tuple[str, str]],
    cluster: Resource,
    cloud: View,
) -> Node:
    """Raises CloudError or FactError where Google Cloud would make none: of machines that are out
    of stock, unless some come all the same."""
    pool_id = f"{cluster.id}/nodePools/auto"
    zone, machine = choose_machine(pod, wish.selector, cluster, cloud)
    inputs = _pool(wish, zone, machine, networks, cloud)
    check_tpus(inputs, machine, pool_region(pool_id), cloud)
    check_capacity(pool_id, inputs, cluster, machine, cloud)
    if (rule := stockout_of(inputs, cluster, machine, cloud)) is not None and not rule.machines:
        raise CloudError("RESOURCE_POOL_EXHAUSTED", no_stock(rule.zone, machine))
    check_additional_networks(pool_id, inputs, cluster, machine, cloud)
    node = next(pool_nodes(Resource(POOL, pool_id, inputs, {}), cluster, cloud))
    # Autopilot labels the node with what the pod asked of it.
    asked = {key: value for key, value in wish.selector.items() if key in _GRANTED}
    if machine.accelerator is not None and machine.accelerator.kind == "gpu":
        asked[DRIVER_LABEL] = _driver(wish)
    # With DRANET, it makes the networks of all interfaces by itself.
    devices = devices_of(machine, len(machine.additional_interfaces)) if wish.dranet else {}
    return replace(node, labels={**node.labels, **asked}, devices=devices)


def _pool(
    wish: Wish, zone: str, machine: MachineType, networks: list[tuple[str, str]], cloud: View
) -> dict[str, Any]:
    slice_shape = _slice(wish, machine, cloud)
    pool: dict[str, Any] = {
        "name": "auto",
        "initialNodeCount": slice_shape.hosts if slice_shape else 1,
        "nodeLocations": [zone],
        "nodeConfig": _node_config(wish, machine),
        "networkConfig": {
            "additionalNodeNetworkConfigs": [
                {"network": network, "subnetwork": subnetwork} for network, subnetwork in networks
            ]
        },
    }
    if slice_shape:
        pool["placementPolicy"] = {"type": "COMPACT", "tpuTopology": slice_shape.name}
    return pool


def _slice(wish: Wish, machine: MachineType, cloud: View) -> Topology | None:
    """The slice of several hosts that the node is one of."""
    name = wish.selector.get(f"{_GKE}/gke-tpu-topology")
    topology = cloud.catalog.topology(machine.name, name) if name else None
    return topology if topology and topology.multi_host else None


def _node_config(wish: Wish, machine: MachineType) -> dict[str, Any]:
    node: dict[str, Any] = {
        "machineType": machine.name,
        "workloadMetadataConfig": {"mode": "GKE_METADATA"},
    }
    if wish.selector.get(f"{_GKE}/gke-spot") == "true":
        node["spot"] = True
    if wish.selector.get(f"{_GKE}/gke-flex-start") == "true":
        node["flexStart"] = True
    if wish.dranet:
        node["labels"] = dict(DRANET_LABEL)
    if machine.accelerator is not None and machine.accelerator.kind == "gpu":
        installed = {"gpuDriverVersion": ASKED[_driver(wish)]}
        gpus = {"type": machine.accelerator.type, "count": machine.accelerator.count}
        node["guestAccelerators"] = [{**gpus, "gpuDriverInstallationConfig": installed}]
    if reservation := _reservation(wish.selector):
        node["reservationAffinity"] = {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "key": RESERVATION_KEY,
            "values": [reservation],
        }
    return node


def _driver(wish: Wish) -> str:
    """Raises CloudError for a word that GKE does not know. Nodes that are made for pods which ask
    for none get the default (GoogleCloudPlatform/cluster-autoscaler
    pkg/cloudprovider/gke/labels/system_labels.go:123-128, SystemLabelsForGPU, 7d25050)."""
    driver = wish.selector.get(DRIVER_LABEL, "default")
    if driver not in ASKED:
        raise CloudError(
            "INVALID_ARGUMENT",
            f'there is no GPU driver "{driver}"; nearest: {", ".join(ASKED)}',
        )
    return driver


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
