"""Facts about Google Cloud as dated data, and the lookups over them. No Pulumi import.

Every version, zone, image and price that this project uses stands in `catalog/data/`.
"""

from .catalog import Catalog, CatalogAdditions
from .gke_namespaces import GKE_NAMESPACES
from .gke_version import GkeVersion, GkeVersionField
from .lustre import (
    LustreTier,
    check_capacity,
    check_filesystem_name,
    check_growth,
)
from .machines import (
    Allocatable,
    DiskType,
    Interface,
    MachineType,
    Sidecar,
)
from .models import ChipMemory, MaxTextTable, ServedModelFacts, ServedModelTable
from .prices import MachineRate, PriceRange, Rate, Way
from .table import FactError
from .topologies import Topology
from .versions import (
    GpuDriver,
    NcclStack,
    ReleaseChannel,
)

__all__ = [
    "GKE_NAMESPACES",
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
