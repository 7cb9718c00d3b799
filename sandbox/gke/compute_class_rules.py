"""Rules for ComputeClass of cloud.google.com/v1.

Fields and combinations are those of the published CRD (GoogleCloudPlatform/compute-class-api,
api/cloud.google.com/v1/types.go, commit of 2026); fields that nothing here reads take any value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube.field_rules import Fields, ListOf, object_findings
from sandbox.kube.names import name_findings
from sandbox.kube.objects import JsonObject, dig, maps, name_of

Finding = tuple[str, str]
KIND = "ComputeClass"
API = "cloud.google.com/v1"
_NAMED = frozenset({"name"})
_ENABLED = Fields({"enabled": "boolean"}, frozenset({"enabled"}))
_SPECIFIC = Fields(
    {
        "name": "string",
        "project": "string",
        "reservationBlock": Fields(
            {"name": "string", "reservationSubBlock": Fields({"name": "string"}, _NAMED)}, _NAMED
        ),
        "zones": ListOf("string"),
    },
    _NAMED,
)
_PRIORITY = Fields(
    {
        **dict.fromkeys(("machineFamily", "machineType", "minCpuPlatform", "podFamily"), "string"),
        **dict.fromkeys(("acceleratorNetworkProfile", "gpuDirect"), "string"),
        **dict.fromkeys(("spot", "enableNestedVirtualization"), "boolean"),
        **dict.fromkeys(("minCores", "minMemoryGb", "maxPodsPerNode", "priorityScore"), "integer"),
        **dict.fromkeys(("maxRunDurationSeconds", "capacityCheckWaitTimeSeconds"), "integer"),
        **dict.fromkeys(("storage", "nodeSystemConfig", "placement", "minimumCapacity"), "any"),
        **dict.fromkeys(("nodeLabels", "instanceMetadata"), "strings"),
        "allocationStrategy": "lowest-cost|fleet-efficiency",
        "flexStart": Fields({"enabled": "boolean", "nodeRecycling": "any"}, frozenset({"enabled"})),
        "gpu": Fields(
            {
                "type": "string",
                "count": "integer",
                "driverVersion": "string",
                "topology": "string",
                "gpuSharing": "any",
            }
        ),
        "location": Fields(
            {
                "zones": ListOf("string"),
                "locationPolicy": "string",
                "zoneTypes": ListOf("string"),
            }
        ),
        "nodepools": ListOf("string"),
        "reservations": Fields(
            {"affinity": "Specific|AnyBestEffort|None|AnyThenFail", "specific": ListOf(_SPECIFIC)},
            frozenset({"affinity"}),
        ),
        "taints": ListOf("any"),
        "tpu": Fields({"type": "string", "count": "integer", "topology": "string"}),
    }
)
_POOL = Fields(
    {
        **dict.fromkeys(
            ("confidentialNodeType", "ipType", "nodeVersion", "workloadType"), "string"
        ),
        **dict.fromkeys(("autoRepair", "autoUpgrade"), "boolean"),
        **dict.fromkeys(("customImageConfig", "loggingConfig", "maintenanceExclusion"), "any"),
        **dict.fromkeys(("nodeDrainConfig", "sandbox", "taintConfig"), "any"),
        **dict.fromkeys(("nodeLabels", "instanceMetadata"), "strings"),
        "dra": Fields({"networking": Fields({"enabled": "boolean"})}),
        "gvnic": _ENABLED,
        "imageStreaming": _ENABLED,
        "imageType": "cos_containerd|ubuntu_containerd|custom_containerd",
        "resourceManagerTags": ListOf("any"),
        "serviceAccount": "string",
        "taints": ListOf("any"),
        "tpu": Fields({"driverMode": "DevicePlugin|DynamicResourceAllocation"}),
        "workloadMetadata": "GCE_METADATA|GKE_METADATA",
    }
)
_SPEC = Fields(
    {
        **dict.fromkeys(("activeMigration", "autoscalingPolicy", "nodePoolGroup"), "any"),
        **dict.fromkeys(("priorityDefaults", "minimumCapacity"), "any"),
        "allocationStrategyDefaults": "any",
        "autopilot": _ENABLED,
        "description": "string",
        "nodePoolAutoCreation": Fields(
            {
                "enabled": "boolean",
                "dynamicMaxPodsPerNode": "boolean",
                "dynamicBootDiskSize": "boolean",
                "shieldedInstanceConfig": "any",
            },
            frozenset({"enabled"}),
        ),
        "nodePoolConfig": _POOL,
        "priorities": ListOf(_PRIORITY),
        "whenUnsatisfiable": "ScaleUpAnyway|DoNotScaleUp",
    }
)


def compute_class_findings(manifest: Mapping[str, Any]) -> list[Finding]:
    found = [*name_findings(KIND, name_of(manifest)), *object_findings(manifest, _SPEC)]
    return found or list(_priorities(maps(manifest["spec"].get("priorities"))))


def _priorities(priorities: list[JsonObject]) -> Iterator[Finding]:
    for index, priority in enumerate(priorities):
        at = f"spec.priorities[{index}]"
        if not priority:
            yield at, "must have at least 1 field"
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
