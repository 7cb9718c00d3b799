"""Facts about Google Cloud as dated data, and the lookups over them. No Pulumi import.

Every version, zone, image and price that this project uses stands in `catalog/data/`.
"""

from catalog.catalog import Catalog, CatalogAdditions
from catalog.gke_version import GkeVersion, GkeVersionField
from catalog.lustre import (
    LustreTier,
    check_capacity,
    check_filesystem_name,
    check_growth,
)
from catalog.machines import (
    Allocatable,
    DiskType,
    Interface,
    MachineType,
    Sidecar,
)
from catalog.models import ChipMemory, MaxTextTable, ServedModelFacts, ServedModelTable
from catalog.prices import MachineRate, PriceRange, Rate, Way
from catalog.table import FactError
from catalog.topologies import Topology
from catalog.versions import (
    GpuDriver,
    NcclStack,
    ReleaseChannel,
)

__all__ = [
    "Allocatable",
    "Catalog",
    "CatalogAdditions",
    "ChipMemory",
    "DiskType",
    "FactError",
    "GkeVersion",
    "GkeVersionField",
    "GpuDriver",
    "Interface",
    "LustreTier",
    "MachineRate",
    "MachineType",
    "MaxTextTable",
    "NcclStack",
    "PriceRange",
    "Rate",
    "ReleaseChannel",
    "ServedModelFacts",
    "ServedModelTable",
    "Sidecar",
    "Topology",
    "Way",
    "check_capacity",
    "check_filesystem_name",
    "check_growth",
]
