"""Machine types and zones that the catalog does not know, for as long as something is of them.

Configs add them, and a config can say no more of one whose pool is still up: of that pool the cloud
knows as much as before. Each stack's own additions count first in its own commands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from catalog import Catalog, CatalogAdditions, FactError
from sandbox.cloud.resource import Inputs


def with_told(catalog: Catalog, told: object) -> Catalog:
    """The catalog of a stack with what `to_keep` kept below it."""
    try:
        kept = CatalogAdditions.model_validate(told or {})
        return Catalog.load().extended(kept).extended(catalog.additions)
    except (ValidationError, FactError):
        return catalog


def to_keep(catalog: Catalog, pools: Iterable[Inputs]) -> Mapping[str, Any]:
    """The additions that the inputs of these pools name, and all zones while there is any pool."""
    added = catalog.additions
    if not added.machine_types and not added.zones:
        return {}
    names = {str((it.get("nodeConfig") or {}).get("machineType")) for it in pools}
    if not names:
        return {}
    machines = {name: it for name, it in added.machine_types.items() if name in names}
    gone = added.machine_types.keys() - Catalog.load().machines.keys() - machines.keys()
    zones = {name: _without(it.model_dump(mode="json"), gone) for name, it in added.zones.items()}
    dumped = {name: it.model_dump(mode="json") for name, it in machines.items()}
    return {"machine_types": dumped, "zones": zones}


def _without(zone: Mapping[str, Any], gone: Collection[str]) -> dict[str, Any]:
    """A zone cannot offer what nobody knows."""
    return {**zone, "offers": sorted(it for it in zone["offers"] if it not in gone)}
