"""The rules for GKE's DRANET, whose pods claim the interfaces of their node."""

from __future__ import annotations

from catalog import FactError, GkeVersion, MachineType
from sandbox.cloud.resource import Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError


def check_dranet(cluster: Resource, machine: MachineType, cloud: View) -> None:
    """Refuse a cluster that has no DRANET, and a machine without interfaces to claim."""
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
    if not machine.additional_interfaces:
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
