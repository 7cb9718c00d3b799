"""What a ComputeClass of cloud.google.com/v1 may not combine.

Source: GoogleCloudPlatform/compute-class-api cloud.google.com_computeclasses.yaml, commit 8067eaeb
of 2026-08-21, x-kubernetes-validations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kube.objects import JsonObject, dig, maps

Finding = tuple[str, str]
KIND = "ComputeClass"
API = "cloud.google.com/v1"


def compute_class_findings(manifest: Mapping[str, Any]) -> Iterator[Finding]:
    for index, priority in enumerate(maps(manifest["spec"].get("priorities"))):
        at = f"spec.priorities[{index}]"
        if priority.get("machineFamily") and priority.get("machineType"):
            yield at, "MachineFamily and MachineType cannot be set together"
        if priority.get("machineType") and (
            priority.get("minCores") or priority.get("minMemoryGb")
        ):
            yield at, "MachineType cannot be set together with MinCores/MinMemoryGb"
        if priority.get("spot") and dig(priority, "flexStart", "enabled"):
            yield at, "Flex Start provisioning model is incompatible with Spot"
        yield from _reservations(priority.get("reservations"), f"{at}.reservations")


def _reservations(reservations: JsonObject | None, path: str) -> Iterator[Finding]:
    if reservations is None:
        return
    specific = bool(reservations.get("specific"))
    if specific and reservations["affinity"] != "Specific":
        yield path, "Unable to set specific reservations for non specific affinity"
    if not specific and reservations["affinity"] == "Specific":
        yield path, "At least 1 specific reservation required for specific affinity"
