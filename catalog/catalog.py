"""The catalog: every lookup that stacks, the sandbox and checks make."""

from collections.abc import Callable, Sequence
from datetime import date
from functools import cache, cached_property
from typing import Self, TypeVar

from pydantic import BaseModel, Field

from .families import NvlinkDomain
from .gke_calendar import GkeCalendar
from .gke_version import GkeVersion
from .gpu_drivers import GpuDriverTable, cuda_in_tag, is_newer
from .known_holes import KnownHoles
from .lustre import LustreTable, LustreTier
from .machines import (
    Allocatable,
    GcsFuseFacts,
    MachineName,
    MachineTable,
    MachineType,
    MachineTypeFacts,
    NicKind,
    Sidecar,
    allocatable,
    machines_meant,
)
from .models import MaxTextTable, ServedModelTable
from .node_room import DEFAULT_DISK_GB, DEFAULT_PODS, NodeRoomTable, NodeShape
from .prices import MachineRate, PriceTable, Rate, Way, machine_rate
from .replacing import ReplacingTable
from .spot_notice import SpotNotice
from .table import Fact, FactError, folded, load_table, names_alike, nearest_names
from .topologies import Topology, TopologyTable
from .versions import (
    Component,
    ContainerImage,
    Feature,
    NcclStack,
    ReleaseChannel,
    VersionTable,
)
from .zones import (
    Zone,
    ZoneAddition,
    ZoneName,
    ZoneTable,
    nearest_zones,
    profile_name,
    region_of_name,
)

_MOST_MEANT = 4
_Found = TypeVar("_Found", bound=BaseModel)


class CatalogAdditions(Fact, use_attribute_docstrings=True):
    """What a stack's config adds under `catalog:`, so that new hardware needs no release."""

    machine_types: dict[MachineName, MachineTypeFacts] = Field(default_factory=dict)
    """Machine types, by their name."""
    zones: dict[ZoneName, ZoneAddition] = Field(default_factory=dict)
    """Zones, or offers in known zones, by their name."""


def _found(
    known: dict[str, _Found],
    name: str,
    what: str,
    fix: str = "",
    near: str | None = None,
    alike: Callable[[str], Sequence[str]] | None = None,
) -> _Found:
    if name in known:
        return known[name]
    meant = ", ".join(alike(name)) if alike else ""
    near = (meant or nearest_names(name, known, near)) + (f". {fix}" if fix else "")
    raise FactError(f'"{name}" is not {what} the catalog knows; nearest: {near}')


class Catalog(Fact):
    """Google's facts plus a config's additions. Lookups raise FactError on what is not known."""

    additions: CatalogAdditions = CatalogAdditions()

    @classmethod
    @cache
    def load(cls) -> Self:
        """The catalog without additions; tables are read when first asked for."""
        return cls()

    def extended(self, additions: CatalogAdditions) -> Self:
        """This catalog with `additions` on top, which win over what is there.

        Raises FactError when an added zone offers a machine type that neither has, or an added
        machine type has RDMA interfaces that the version lock has no NCCL stack for.
        """
        if not (additions.machine_types or additions.zones):
            return self
        merged = CatalogAdditions(
            machine_types={**self.additions.machine_types, **additions.machine_types},
            zones={**self.additions.zones, **additions.zones},
        )
        grown = type(self)(additions=merged)
        for name in (offer for zone in merged.zones.values() for offer in zone.offers):
            grown.machine(name)
        for name in merged.machine_types:
            grown.nccl(name)
        return grown

    # Machine types

    @cached_property
    def machines(self) -> dict[str, MachineType]:
        """Machine types by name."""
        facts = {**self._machine_table.machine_types, **self.additions.machine_types}
        return {name: MachineType(name=name, **dict(fact)) for name, fact in facts.items()}

    def machine(self, name: str) -> MachineType:
        return _found(
            self.machines,
            name,
            "a machine type",
            'A newer one can be added under "catalog.machine_types"',
            alike=self.nearest_machines,
        )

    def nearest_machines(self, text: str) -> tuple[str, ...]:
        """The machine types that a text may stand for: those with the accelerator that it names,
        the smallest first, or those that are spelt like it."""
        return machines_meant(text, self.machines)

    def nvlink_domain(self, machine: str) -> NvlinkDomain | None:
        return self._machine_table.nvlink_domains.get(self.machine(machine).family)

    def allocatable(
        self,
        machine: str,
        disk_gb: int = DEFAULT_DISK_GB,
        threads_per_core: int = 2,
        *,
        max_pods: int = DEFAULT_PODS,
        image_streaming: bool = False,
    ) -> Allocatable:
        """What pods get on a node of this machine type with a boot disk of that size."""
        found, domain = self.machine(machine), self.nvlink_domain(machine)
        ssd = found.local_ssd
        shape = NodeShape(
            machine_type=found.name,
            vcpus=found.vcpus,
            memory_gib=found.memory_gib,
            disk_gb=disk_gb,
            local_ssds=0 if ssd is None else ssd.count,
            gib_each=0 if ssd is None else ssd.gib_each,
            threads_per_core=threads_per_core,
            max_pods=max_pods,
            image_streaming=image_streaming,
            architecture="amd64" if domain is None else domain.architecture,
        )
        accelerators = found.accelerator.count if found.accelerator else 0
        return allocatable(shape, self.node_room, accelerators)

    @property
    def node_room(self) -> NodeRoomTable:
        """What GKE takes of nodes."""
        return load_table(NodeRoomTable, "node_room")

    @property
    def gcsfuse_sidecar(self) -> Sidecar:
        """What GKE adds to a pod that mounts a bucket."""
        return self._machine_table.gcsfuse_sidecar

    @property
    def spot_notice(self) -> SpotNotice:
        """How long pods have once Google takes a spot machine back."""
        return load_table(SpotNotice, "spot_notice")

    @property
    def gcsfuse_prefetch(self) -> Sidecar:
        """What GKE adds beside it where names and sizes are read at the mount."""
        return self._machine_table.gcsfuse_prefetch

    @property
    def gcsfuse(self) -> GcsFuseFacts:
        """What Cloud Storage FUSE takes of its sidecar."""
        return self._machine_table.gcsfuse

    # Zones

    @cached_property
    def zones(self) -> dict[str, Zone]:
        """Zones by name."""
        zones = load_table(ZoneTable, "zones").zones()
        for name, addition in self.additions.zones.items():
            known = zones.get(name, Zone(name=name, lustre=False, offers=frozenset()))
            zones[name] = known.extended(addition)
        return zones

    def zone(self, name: str) -> Zone:
        return _found(
            self.zones,
            name,
            "a zone",
            'A newer one can be added under "catalog.zones"',
            alike=self.nearest_zones,
        )

    def nearest_zones(self, text: str) -> tuple[str, ...]:
        """The zone that a text may stand for, or those of the region that it may name."""
        word = folded(text)
        if word in self.zones:
            return (word,)
        spelt = {name.replace("-", ""): name for name in self.zones}
        if found := spelt.get(word.replace("-", "")):
            return (found,)
        regions = self.nearest_regions(word) or self.nearest_regions(region_of_name(word))
        return self.zones_in(regions[0])[:_MOST_MEANT] if regions else ()

    def nearest_regions(self, text: str) -> tuple[str, ...]:
        """The regions that are spelt like a text, or like the region of a zone."""
        word, regions = folded(text), sorted({it.region for it in self.zones.values()})
        for name in (word, region_of_name(word)):
            if name in regions:
                return (name,)
        return names_alike(word, regions)

    def region_of(self, zone: str) -> str:
        return self.zone(zone).region

    def zones_in(self, region: str) -> tuple[str, ...]:
        """Zones of a region, in order of name."""
        regions: dict[str, list[str]] = {}
        for name in sorted(self.zones):
            regions.setdefault(self.zones[name].region, []).append(name)
        if region not in regions:
            near = ", ".join(self.nearest_regions(region)) or nearest_names(region, regions)
            raise FactError(f'"{region}" is not a region the catalog knows; nearest: {near}')
        return tuple(regions[region])

    def offers(self, zone: str, machine: str) -> bool:
        return self.zone(zone).has(self.machine(machine).name)

    def zones_offering(self, machine: str) -> tuple[str, ...]:
        """Zones that have the machine type, in order of name."""
        name = self.machine(machine).name
        return tuple(sorted(zone.name for zone in self.zones.values() if zone.has(name)))

    def check_offer(self, zone: str, machine: str) -> None:
        """Raises FactError, with the nearest zones that do, when `zone` lacks the machine type."""
        if not self.offers(zone, machine):
            zones = self.zones_offering(machine)
            if not zones:
                raise FactError(
                    f'"{zone}" does not offer {machine} as far as the catalog knows, nor does any '
                    f"other zone; nearest: catalog.zones.{zone}.offers with {machine} in it"
                )
            raise FactError(
                f'"{zone}" does not offer {machine} as far as the catalog knows; '
                f"nearest: the zone {nearest_zones(zone, zones)}. "
                'A newer offer can be added under "catalog.zones"'
            )

    def zones_with_lustre(self) -> tuple[str, ...]:
        return tuple(sorted(zone.name for zone in self.zones.values() if zone.lustre))

    def check_lustre_zone(self, zone: str) -> None:
        """Raises FactError when Managed Lustre is not known to be in `zone`."""
        if not self.zone(zone).lustre:
            near = nearest_zones(zone, self.zones_with_lustre())
            raise FactError(
                f'"{zone}" has no Managed Lustre as far as the catalog knows; nearest: {near}. '
                'If it has, say so under "catalog.zones"'
            )

    def roce_profile(self, zone: str, machine: str | None = None) -> str:
        """The name of the zone's RoCE network profile. `machine` is what the zones have that are
        named when this one is refused."""
        near = self.zones_offering(machine) if machine else None
        return profile_name("RoCE", self.zone(zone).name, self._zones_with("rdma"), near)

    def falcon_profile(self, zone: str) -> str:
        """The name of the zone's Falcon network profile."""
        return profile_name("Falcon", self.zone(zone).name, self._zones_with("irdma"))

    def _zones_with(self, kind: NicKind) -> tuple[str, ...]:
        speaking = [name for name, machine in self.machines.items() if machine.nics_of(kind)]
        return tuple(sorted({zone for name in speaking for zone in self.zones_offering(name)}))

    # Lustre, TPU slices, versions, prices

    @property
    def lustre(self) -> LustreTable:
        return load_table(LustreTable, "lustre")

    def lustre_tier(self, mbps_per_tib: int) -> LustreTier:
        return self.lustre.tier(mbps_per_tib)

    def topologies(self, machine: str) -> dict[str, Topology]:
        """TPU slice topologies of a machine type by name, smallest first; empty without TPUs."""
        name = self.machine(machine).name
        return load_table(TopologyTable, "topologies").of_machine(name)

    def topology(self, machine: str, name: str) -> Topology:
        known = self.topologies(machine)
        if not known:
            raise FactError(f"{machine} has no TPUs, so no topology; nearest: leave it out")
        return _found(known, name, f"a topology of {machine} that")

    def check_ray_topology(self, machine: str, name: str) -> None:
        """Raises FactError, with the nearest that do, for a slice that Ray cannot start."""
        wanted, known = self.topology(machine, name), self.topologies(machine)
        load_table(TopologyTable, "topologies").ray.check(wanted, known.values())

    @property
    def maxtext(self) -> MaxTextTable:
        return load_table(MaxTextTable, "maxtext")

    @property
    def served_models(self) -> ServedModelTable:
        return load_table(ServedModelTable, "served_models")

    @property
    def gke_calendar(self) -> GkeCalendar:
        """Which GKE versions Google offers, and until when."""
        return load_table(GkeCalendar, "gke_calendar")

    @property
    def versions(self) -> VersionTable:
        return load_table(VersionTable, "versions")

    @property
    def known_holes(self) -> KnownHoles:
        return load_table(KnownHoles, "known_holes")

    def feature(self, name: str) -> Feature:
        return _found(self.versions.features, name, "a GKE feature")

    def component(self, name: str) -> Component:
        return _found(self.versions.components, name, "a component")

    def release(self, name: str, version: str | None = None) -> str:
        """The version of a component to install: `version`, or the lock's where none is given.

        Raises FactError when it is not known, or does not serve our objects' apiVersions.
        """
        component = self.component(name)
        if version is None and component.version is not None:
            return component.version
        component.check_serves(name, version)
        fitting = {it: facts for it, facts in component.releases.items() if component.serves(it)}
        _found(fitting, str(version), f"a release of {name}", near=component.version)
        return str(version)

    def image(self, name: str) -> ContainerImage:
        return _found(self.versions.images, name, "an image")

    @property
    def gpu_drivers(self) -> GpuDriverTable:
        """Which NVIDIA driver GKE installs, and which one a program needs."""
        return load_table(GpuDriverTable, "gpu_drivers")

    def software_of(self, reference: str) -> dict[str, str]:
        """Versions of the software in an image, as far as the catalog knows them."""
        known = (it for it in self.versions.images.values() if it.is_named_by(reference))
        return next((it.versions for it in known), {})

    def cuda_of(self, reference: str) -> int | None:
        """The major version of CUDA that an image is built for, as the catalog or the image's tag
        says, or an older release of the same image, for no release goes back to an older one; None
        where none does. In a mirror an image has its name, tag and digest."""
        images = self.versions.images.values()
        for image in images:
            if image.is_named_by(reference):
                return image.cuda
        named = cuda_in_tag(reference)
        if named is not None:
            return named
        return next((it.cuda for it in images if is_newer(reference, it.reference)), None)

    def finds_driver(self, reference: str) -> bool:
        """Whether an image is one of the version lock's that looks for the driver where GKE mounts
        it, or a later release of one. NVIDIA's own, on which others are built, do, but those of
        CUDA 12.8.1 to 12.9 (GoogleCloudPlatform/compute-gpu-installation issue 46 of 2025-08-05;
        vllm-project/vllm issue 18859, comment of 2025-08-14: again from 13.0 on)."""
        known = (it for it in self.versions.images.values() if it.finds_driver)
        return any(it.is_named_by(reference) or is_newer(reference, it.reference) for it in known)

    def nccl(self, machine: str) -> NcclStack | None:
        """What NCCL needs on the machine type; None on machines without RDMA interfaces."""
        found = self.machine(machine)
        if not found.rdma_nics:
            return None
        stacks = self.versions.nccl
        if found.nccl not in stacks:
            raise FactError(
                f'{machine} has RDMA interfaces, and its nccl "{found.nccl}" is not in the version '
                f"lock; nearest: {', '.join(sorted(stacks))}"
            )
        return stacks[found.nccl]

    def minimum_gke(self, *features: str, machine: str | None = None) -> GkeVersion | None:
        """The oldest GKE version with all `features` and `machine`; None when any will do."""
        wanted = [self.feature(name).minimum_gke for name in features]
        own = self.machine(machine).minimum_gke if machine else None
        return max([*wanted, own] if own else wanted, default=None)

    def check_gke(
        self,
        version: GkeVersion,
        *features: str,
        machine: str | None = None,
        channel: ReleaseChannel = ReleaseChannel.REGULAR,
        today: date | None = None,
    ) -> None:
        """Raises FactError when `version` is too old for one of `features` or for `machine`; the
        nearest is one that `channel` offers on the day, where there is one."""
        needs = {name: self.feature(name).minimum_gke for name in features}
        if machine and (own := self.machine(machine).minimum_gke):
            needs[machine] = own
        for name, minimum in needs.items():
            if not version.meets(minimum):
                least = max(needs.values())
                near = least if today is None else self._offered(least, channel, today)
                raise FactError(f"GKE {version} is older than {name} needs; nearest: {near}")

    def _offered(self, least: GkeVersion, channel: ReleaseChannel, today: date) -> str:
        return self.gke_calendar.nearest(channel, today, least)

    def machine_rate(self, machine: str, way: Way, region: str) -> MachineRate | None:
        """USD an hour; None when not known of any region."""
        return machine_rate(self.machine(machine).name, way, region)

    def lustre_price(self, mbps_per_tib: int, region: str) -> Rate | None:
        """USD per GiB and month; None when not known."""
        known = self.prices.lustre_gib_month.get(self.lustre_tier(mbps_per_tib).mbps_per_tib)
        return None if known is None else known.rate(region)

    @property
    def prices(self) -> PriceTable:
        return load_table(PriceTable, "prices")

    def replaces(self, token: str, path: str) -> bool:
        """Whether a change of the input makes the provider replace a resource of that type."""
        return load_table(ReplacingTable, "replacing").replaces(token, path)

    def may_replace(self, token: str, path: str, old: object, new: object) -> bool:
        """Whether this change of the input may."""
        return load_table(ReplacingTable, "replacing").may_replace(token, path, old, new)

    @property
    def _machine_table(self) -> MachineTable:
        return load_table(MachineTable, "machine_types")
