"""The rules for GKE's DRANET, whose pods claim the interfaces of their node."""

from __future__ import annotations

from catalog import FactError, GkeVersion, MachineType
from kube.node_pools import additional_networks, is_dranet
from sandbox.cloud.kinds.pools import POOL, network_profile, pool_zones
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError


def check_profile(
    pool_id: str, inputs: Inputs, cluster: Resource, machine: MachineType, cloud: View
) -> None:
    """Refuse a profile beside networks, for machines or zones that GKE makes none for, and DRANET
    beside pools whose interfaces Network objects have.

    GoogleCloudPlatform/cluster-toolkit modules/compute/gke-node-pool/main.tf:52, :291 and :563-567,
    10470803; GoogleCloudPlatform/cluster-autoscaler
    pkg/cloudprovider/gke/machinetypes/dranet.go, d92d895."""
    profile = network_profile(inputs)
    if profile not in (None, "auto"):
        raise CloudError(
            "INVALID_ARGUMENT", f'accelerator network profile "{profile}" is none; nearest: auto'
        )
    if profile and additional_networks(inputs):
        raise CloudError(
            "INVALID_ARGUMENT",
            "GKE makes the networks of an accelerator network profile, and there are additional "
            "node networks; nearest: one of the two",
        )
    able = cloud.catalog.feature("dranet").machines
    if profile and machine.name not in able:
        raise CloudError(
            "INVALID_ARGUMENT",
            f"{machine.name} has no accelerator network profile; nearest: {', '.join(able)}",
        )
    # GKE documentation, "Configure automated networking for accelerator VMs", requirements, read
    # 2026-11-23.
    if profile and len(zones := pool_zones(inputs, cluster, cloud)) > 1:
        raise CloudError(
            "INVALID_ARGUMENT",
            f"an accelerator network profile is for one zone, not for {', '.join(zones)}; "
            f"nearest: {zones[0]}",
        )
    # GKE documentation, "Allocate network resources by using GKE managed DRANET", limitations, read
    # 2026-11-23.
    for pool in cloud.find(POOL):
        if pool.id == pool_id or not pool.id.startswith(f"{cluster.id}/"):
            continue
        if is_dranet(inputs) and _by_objects(pool.inputs):
            raise CloudError(
                "INVALID_ARGUMENT",
                f"DRANET would manage interfaces of cluster {cluster['name']} that Network objects "
                f"have in node pool {pool['name']}; nearest: a cluster for each",
            )


def _by_objects(inputs: Inputs) -> bool:
    return bool(additional_networks(inputs)) and not is_dranet(inputs)


def check_dranet(cluster: Resource, machine: MachineType, cloud: View) -> None:
    """Refuse a cluster that has no DRANET, and a machine without interfaces to claim
    (GoogleCloudPlatform/cluster-toolkit modules/compute/gke-node-pool/main.tf:558, 10470803;
    GoogleCloudPlatform/cluster-autoscaler pkg/cloudprovider/gke/machinetypes/dranet.go,
    7d25050)."""
    autopilot = bool(cluster["enableAutopilot"])
    if not autopilot and cluster["datapathProvider"] != "ADVANCED_DATAPATH":
        raise CloudError(
            "INVALID_ARGUMENT",
            f"DRANET needs Dataplane V2, which cluster {cluster['name']} does not have; nearest: "
            "datapathProvider ADVANCED_DATAPATH",
        )
    version = GkeVersion.parse(cluster.outputs["masterVersion"])
    try:
        cloud.catalog.check_gke(version, "dranet_autopilot" if autopilot else "dranet")
    except FactError as error:
        raise CloudError("INVALID_ARGUMENT", str(error)) from None
    # Its agent runs on nodes with GPUs or TPUs.
    if machine.accelerator is None or not machine.additional_interfaces:
        able = [
            other.name
            for other in cloud.catalog.machines.values()
            if other.additional_interfaces
            and other.accelerator is not None
            and machine.accelerator is not None
            and other.accelerator.kind == machine.accelerator.kind
        ]
        raise CloudError(
            "INVALID_ARGUMENT",
            f"{machine.name} has no interfaces for DRANET; nearest: "
            f"{', '.join(able) or 'no DRANET'}",
        )
