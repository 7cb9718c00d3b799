"""What a node pool's inputs say of its machines: how many, of which kind, had in which way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalog import Catalog, FactError, MachineType
from components.base.capacity import CapacityMode

# What makes a zone's name of a region's.
_ZONE = re.compile(r"-[a-z]$")


@dataclass(frozen=True)
class PoolFacts:
    """`machine` is None where the catalog does not know the type; nodes run from `low` to `high`.

    `accelerators` counts those of one node; None where the pool has some and their number is not
    known.
    """

    machine_type: str
    machine: MachineType | None
    low: int
    high: int
    capacity: CapacityMode
    reservation: str
    kind: str
    accelerators: int | None
    disk_type: str
    disk_gb: int
    region: str
    secondary_disk: bool = False

    @property
    def accelerated(self) -> bool:
        return self.accelerators is None or self.accelerators > 0

    @property
    def devices(self) -> str:
        """How many accelerators the pool has at full size."""
        if self.accelerators is None:
            return f"an unknown number of {self.kind}s"
        count = self.accelerators * self.high
        return f"{count} {self.kind}{'' if count == 1 else 's'}"


def pool_facts(inputs: Mapping[str, Any], catalog: Catalog) -> PoolFacts:
    """The facts of a node pool by its inputs, with the catalog's knowledge of its machine type."""
    config: Mapping[str, Any] = inputs.get("nodeConfig") or {}
    name = str(config.get("machineType") or "")
    try:
        machine = catalog.machine(name)
    except FactError:
        machine = None
    low, high = _nodes(inputs)
    kind, count = _accelerators(config, inputs, machine)
    affinity: Mapping[str, Any] = config.get("reservationAffinity") or {}
    return PoolFacts(
        machine_type=name,
        machine=machine,
        low=low,
        high=high,
        capacity=_capacity(config, inputs),
        reservation=", ".join(map(str, affinity.get("values") or [])),
        kind=kind,
        accelerators=count,
        disk_type=str(config.get("diskType") or ""),
        disk_gb=int(config.get("diskSizeGb") or 0),
        region=region_of(str(inputs.get("location") or "")),
        secondary_disk=bool(config.get("secondaryBootDisks")),
    )


def region_of(location: str) -> str:
    """Of a zone, or of a region."""
    return _ZONE.sub("", location)


def _nodes(inputs: Mapping[str, Any]) -> tuple[int, int]:
    bounds: Mapping[str, Any] = inputs.get("autoscaling") or {}
    zones = len(inputs.get("nodeLocations") or [""])
    if bounds.get("totalMaxNodeCount") is not None:
        return int(bounds.get("totalMinNodeCount") or 0), int(bounds["totalMaxNodeCount"])
    if bounds.get("maxNodeCount") is not None:
        low = int(bounds.get("minNodeCount") or 0)
        return low * zones, int(bounds["maxNodeCount"]) * zones
    fixed = inputs.get("nodeCount")
    each = int(inputs.get("initialNodeCount") or 0) if fixed is None else int(fixed)
    return each * zones, each * zones


def _accelerators(
    config: Mapping[str, Any], inputs: Mapping[str, Any], machine: MachineType | None
) -> tuple[str, int | None]:
    guests = config.get("guestAccelerators") or []
    if isinstance(guests, list) and guests:
        return "GPU", sum(int(one.get("count") or 0) for one in guests) or None
    if machine is not None:
        own = machine.accelerator
        return (own.kind.upper(), own.count) if own else ("GPU", 0)
    placement: Mapping[str, Any] = inputs.get("placementPolicy") or {}
    if placement.get("tpuTopology"):
        return "TPU", None
    # Of a machine that is not known, nobody can say that it has none.
    return "accelerator", None


def _capacity(config: Mapping[str, Any], inputs: Mapping[str, Any]) -> CapacityMode:
    affinity: Mapping[str, Any] = config.get("reservationAffinity") or {}
    match affinity.get("consumeReservationType"):
        case "SPECIFIC_RESERVATION":
            return CapacityMode.RESERVATION
        case "ANY_RESERVATION":
            return CapacityMode.ANY_RESERVATION
        case _:
            pass
    if (inputs.get("queuedProvisioning") or {}).get("enabled"):
        return CapacityMode.QUEUED
    if config.get("flexStart"):
        return CapacityMode.FLEX_START
    return CapacityMode.SPOT if config.get("spot") else CapacityMode.ON_DEMAND
