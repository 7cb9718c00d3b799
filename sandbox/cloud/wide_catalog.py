"""The catalog with what the names of plain machine types and zones say by themselves.

For programs that are no stacks: `catalog/` has the machines and zones of AI work, and one that it
does not know is told by its name. Sizes are those of GoogleCloudPlatform/cluster-autoscaler
pkg/cloudprovider/gke/machinetypes/deprecated_machine_types_config.go (7d25050) and of gcloud's list
of machine types (Cyclenerd/google-cloud-pricing-cost-calculator tools/machinetyperegion.csv,
dac3128). That a region which the catalog does not know has the zones a, b and c is only believed.
"""

from __future__ import annotations

import re

from catalog import Catalog, FactError, MachineType
from catalog.zones import Zone

# GiB of memory a vCPU, by series and kind; `*` has what most series have.
_GIB_A_VCPU = {
    "*": {"standard": 4.0, "highmem": 8.0, "highcpu": 1.0},
    "n1": {"standard": 3.75, "highmem": 6.5, "highcpu": 0.9},
    "c2": {"standard": 4.0},
    "c2d": {"standard": 4.0, "highmem": 8.0, "highcpu": 2.0},
    "c3": {"standard": 4.0, "highmem": 8.0, "highcpu": 2.0},
    "c3d": {"standard": 4.0, "highmem": 8.0, "highcpu": 2.0},
    "c4": {"standard": 3.75, "highmem": 7.75, "highcpu": 2.0},
    "c4a": {"standard": 4.0, "highmem": 8.0, "highcpu": 2.0},
    "n4": {"standard": 4.0, "highmem": 8.0, "highcpu": 2.0},
    "t2a": {"standard": 4.0},
    "t2d": {"standard": 4.0},
}
# Those that have less than their series.
_LESS = {
    "c4-highmem-2": 15.0,
    "c4-standard-2": 7.0,
    "n2-highmem-128": 864.0,
    **{f"c3d-highcpu-{it}": it * 59 / 30 for it in (30, 60, 90, 180, 360)},
}
_SERIES = frozenset({*_GIB_A_VCPU, "e2", "n2", "n2d"} - {"*"})
# Two vCPUs each, of which they have a part for long.
_SHARED = {"e2-micro": 1.0, "e2-small": 2.0, "e2-medium": 4.0}
_PREDEFINED = re.compile(r"([a-z]\d[a-z]?)-(standard|highmem|highcpu)-(\d{1,3})")
_CUSTOM = re.compile(r"(?:([a-z]\d[a-z]?)-)?custom-(\d{1,3})-(\d{3,7})(?:-ext)?")
_REGION = re.compile(r"[a-z]+-[a-z]+\d{1,2}")
_ZONE = re.compile(rf"({_REGION.pattern})-[a-f]")


class WideCatalog(Catalog):
    """Of the machine types and zones that are no name at all it says what the catalog says."""

    def machine(self, name: str) -> MachineType:
        if name in self.machines or (size := _size(name)) is None:
            return super().machine(name)
        vcpus, memory = size
        disk = "hyperdisk-balanced" if name.startswith(("c4", "n4")) else "pd-balanced"
        facts = {"vcpus": vcpus, "memory_gib": memory, "boot_disk_types": (disk,)}
        return MachineType.model_validate({"name": name, **facts})

    def zone(self, name: str) -> Zone:
        if name in self.zones or not _ZONE.fullmatch(name):
            return super().zone(name)
        return Zone(name=name, lustre=False, offers=_SERIES)

    def zones_in(self, region: str) -> tuple[str, ...]:
        try:
            return super().zones_in(region)
        except FactError:
            if not _REGION.fullmatch(region):
                raise
            return tuple(f"{region}-{letter}" for letter in "abc")

    def offers(self, zone: str, machine: str) -> bool:
        """Where a machine is that is known by its name alone, nobody has looked up."""
        return machine not in self.machines or super().offers(zone, machine)


def _size(name: str) -> tuple[int, float] | None:
    """vCPUs and GiB of memory."""
    if name in _SHARED:
        return 2, _SHARED[name]
    if found := _PREDEFINED.fullmatch(name):
        series, kind, vcpus = found.groups()
        each = _GIB_A_VCPU.get(series, _GIB_A_VCPU["*"]).get(kind) if series in _SERIES else None
        if each is None:
            return None
        return int(vcpus), _LESS.get(name, int(vcpus) * each)
    if found := _CUSTOM.fullmatch(name):
        series, vcpus, mib = found.groups()
        return (int(vcpus), int(mib) / 1024) if (series or "n1") in _SERIES else None
    return None
