"""Regions, zones, and what each zone offers."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from .table import Fact, FactError, Table, nearest_names
from .text_check import like

ZONE_PATTERN = r"^[a-z]+-[a-z]+\d+-[a-z][a-z0-9]*$"
ZoneName = Annotated[str, like(ZONE_PATTERN[1:-1], "a zone", "us-east1-b")]


def region_of_name(zone: str) -> str:
    """The region part of a zone's name."""
    return zone.rpartition("-")[0]


class ZoneAddition(Fact, use_attribute_docstrings=True):
    """What a config says that a zone, known or new, also offers."""

    offers: tuple[str, ...] = ()
    """Machine types, and families all of whose types it has."""
    lustre: bool = False
    """Whether it has Managed Lustre."""


class Zone(Fact):
    """A zone; `offers` holds machine types, and families all of whose types it has."""

    name: ZoneName
    lustre: bool
    offers: frozenset[str]

    @property
    def region(self) -> str:
        return region_of_name(self.name)

    def has(self, machine_type: str) -> bool:
        return machine_type in self.offers or machine_type.partition("-")[0] in self.offers

    def extended(self, addition: ZoneAddition) -> "Zone":
        return Zone(
            name=self.name,
            lustre=self.lustre or addition.lustre,
            offers=self.offers | set(addition.offers),
        )


class Offer(Fact):
    """Zones that have a machine type, or every type of a family."""

    zones: frozenset[ZoneName]
    source: str


class ExceptIn(Fact):
    """Places where an ordinary family is missing."""

    regions: frozenset[str] = frozenset()
    zones: frozenset[ZoneName] = frozenset()


class OrdinaryFamily(Fact):
    """A family that is everywhere but in `except_in`."""

    except_in: ExceptIn = ExceptIn()
    source: str


class LustreZones(Fact):
    """`scenario_zones` have no page behind them that was read; see the table's comment."""

    zones: frozenset[ZoneName]
    scenario_zones: frozenset[ZoneName]
    source: str


class ZoneTable(Table):
    """`regions` maps a region to the last parts of its zones' names, such as "abc"."""

    regions: dict[str, str]
    ordinary_families: dict[str, OrdinaryFamily]
    offers: dict[str, Offer]
    lustre: LustreZones

    def zones(self) -> dict[str, Zone]:
        """Every zone by name.

        Raises FactError when a list in the table names a zone that no region has.
        """
        names = [f"{region}-{end}" for region, ends in self.regions.items() for end in ends]
        self._check_listed(names)
        lustre = self.lustre.zones | self.lustre.scenario_zones
        return {
            name: Zone(name=name, lustre=name in lustre, offers=self._offered_in(name))
            for name in names
        }

    def _offered_in(self, zone: str) -> frozenset[str]:
        listed = {key for key, offer in self.offers.items() if zone in offer.zones}
        ordinary = {
            family
            for family, facts in self.ordinary_families.items()
            if zone not in facts.except_in.zones
            and region_of_name(zone) not in facts.except_in.regions
        }
        return frozenset(listed | ordinary)

    def _check_listed(self, names: list[str]) -> None:
        listed = self.lustre.zones | self.lustre.scenario_zones
        for offer in self.offers.values():
            listed |= offer.zones
        for zone in sorted(listed - set(names)):
            raise FactError(
                f'"{zone}" is listed but is in no region of the table; '
                f"nearest: {nearest_names(zone, names)}"
            )


def nearest_zones(zone: str, candidates: Iterable[str]) -> str:
    """Same region first, then same continent and direction, then same continent."""
    region = region_of_name(zone)

    def distance(name: str) -> tuple[bool, bool, bool, str]:
        other = region_of_name(name)
        return (
            other != region,
            other.rstrip("0123456789") != region.rstrip("0123456789"),
            name.partition("-")[0] != zone.partition("-")[0],
            name,
        )

    return ", ".join(sorted(candidates, key=distance)[:3]) or "no zone that is known"


def profile_name(
    word: str, zone: str, having: Sequence[str], candidates: Iterable[str] | None = None
) -> str:
    """The zone's network profile for RDMA, RoCE or Falcon. Google has it in the zones `having` a
    machine type with such interfaces (VPC documentation, "RDMA network profiles", read 2026-11-24).

    Raises FactError with the nearest of `candidates`, by default of those zones.
    """
    if zone not in having:
        raise FactError(
            f'"{zone}" has no {word} network profile, for no machine type with such interfaces is '
            f"there; nearest: {nearest_zones(zone, candidates or having)}"
        )
    return f"{zone}-vpc-{word.lower()}"
