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
    Accelerator,
    Allocatable,
    CapacityMode,
    DiskType,
    GcsFuseFacts,
    Interface,
    LocalSsd,
    MachineType,
    MachineTypeFacts,
    NicGroup,
    Sidecar,
)
from catalog.models import ChipMemory, MaxTextTable, ServedModelFacts, ServedModelTable
from catalog.prices import MachineRate, PriceRange, Rate, Way
from catalog.table import FactError
from catalog.topologies import Topology
from catalog.versions import (
    Component,
    ContainerImage,
    Feature,
    GpuDriver,
    NcclStack,
    ReleaseChannel,
)
from catalog.zones import Zone, ZoneAddition, ZoneName

__all__ = [
    "Accelerator",
    "Allocatable",
    "CapacityMode",
    "Catalog",
    "CatalogAdditions",
    "ChipMemory",
    "Component",
    "ContainerImage",
    "DiskType",
    "FactError",
    "Feature",
    "GcsFuseFacts",
    "GkeVersion",
    "GkeVersionField",
    "GpuDriver",
    "Interface",
    "LocalSsd",
    "LustreTier",
    "MachineRate",
    "MachineType",
    "MachineTypeFacts",
    "MaxTextTable",
    "NcclStack",
    "NicGroup",
    "PriceRange",
    "Rate",
    "ReleaseChannel",
    "ServedModelFacts",
    "ServedModelTable",
    "Sidecar",
    "Topology",
    "Way",
    "Zone",
    "ZoneAddition",
    "ZoneName",
    "check_capacity",
    "check_filesystem_name",
    "check_growth",
]
