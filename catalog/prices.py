"""Published prices in USD, without tax or discounts. A price not known is None, never 0.

Prices differ by region and drift. Those of machines, disks and buckets stand in books, each of one
source as it was on one day: of a region holds the newest that has it. Where none has, there is the
range over the regions that are known. A price is as old as its figure, however late it was read.
"""

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Annotated, Self

from pydantic import Field, model_validator

from .table import DATA, Fact, Table, check_days, load_table, parse

BOOKS = DATA / "machine_prices"
Usd = Annotated[float, Field(gt=0)]
ByRegion = Mapping[str, Usd]


class Way(StrEnum):
    """How a machine is paid for; CALENDAR is a reservation of 1 to 90 days."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    FLEX_START = "flex_start"
    CALENDAR = "calendar"


class PriceRange(Fact):
    """Lowest and highest price."""

    low: Usd
    high: Usd

    @model_validator(mode="after")
    def _low_first(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low {self.low} is above high {self.high}")
        return self


class Rate(PriceRange):
    """A price with a source of its own, the day that the figure is of, and the day on which it was
    `read`. `date` is None where the copy that was read has no day.

    `elsewhere`: that of the region is not known, and these are the prices of other regions.
    """

    source: str = Field(min_length=1)
    date: datetime.date | None = None
    read: datetime.date | None = None
    elsewhere: bool = False

    @model_validator(mode="after")
    def _of_the_past(self) -> Self:
        check_days(self.date, self.read)
        return self

    def __str__(self) -> str:
        day = f"{self.date}" if self.date else f"of an unknown day, read {self.read}"
        return f"{self.source}, {day}" + (", of other regions" if self.elsewhere else "")


class PriceBook(Table):
    """What one source says: USD by region, for an hour of a machine with its accelerators, and for
    a month of a GiB of the rest.

    The price of a machine in `with_local_ssd` has its local SSD in it.
    """

    with_local_ssd: frozenset[str] = frozenset()
    machine_types: dict[str, dict[Way, ByRegion]] = Field(default_factory=dict)
    disk_gib_month: dict[str, ByRegion] = Field(default_factory=dict)
    local_ssd_gib_month: dict[Way, ByRegion] = Field(default_factory=dict)
    bucket_gib_month: ByRegion = Field(default_factory=dict)

    @model_validator(mode="after")
    def _both_days(self) -> Self:
        if self.read is None:
            raise ValueError("a price book has the date of its figures and the day of its reading")
        return self


class MachineRate(Rate):
    """`with_local_ssd`: the machine's local SSD is in it."""

    way: Way
    with_local_ssd: bool = False


@cache
def books() -> tuple[PriceBook, ...]:
    """All there are, the newest first."""
    found = [parse(PriceBook, file) for file in sorted(BOOKS.glob("*.yaml"))]
    return tuple(sorted(found, key=lambda it: it.date, reverse=True))


def machine_rate(machine: str, way: Way, region: str) -> MachineRate | None:
    found = _newest(books(), lambda it: it.machine_types.get(machine, {}).get(way, {}), region)
    if found is None:
        return None
    rate, having = found
    # The lowest price of a range may be of a book without the disks: rather twice than left out.
    with_ssd = all(machine in it.with_local_ssd for it in having)
    return MachineRate(**rate.model_dump(), way=way, with_local_ssd=with_ssd)


def disk_rate(kind: str, region: str) -> Rate | None:
    found = _rate(lambda it: it.disk_gib_month.get(kind, {}), region)
    of_one_region = load_table(PriceTable, "prices").disk_gib_month.get(kind)
    return of_one_region.rate(region) if found is None and of_one_region is not None else found


def local_ssd_rate(way: Way, region: str) -> Rate | None:
    return _rate(lambda it: it.local_ssd_gib_month.get(way, {}), region)


def bucket_rate(region: str) -> Rate | None:
    return _rate(lambda it: it.bucket_gib_month, region)


def _rate(prices: Callable[[PriceBook], ByRegion], region: str) -> Rate | None:
    found = _newest(books(), prices, region)
    return None if found is None else found[0]


def _newest(
    known: Iterable[PriceBook], prices: Callable[[PriceBook], ByRegion], region: str
) -> tuple[Rate, Sequence[PriceBook]] | None:
    by_region: dict[str, float] = {}
    having: list[PriceBook] = []
    for book in known:
        own = prices(book)
        if region in own:
            usd = own[region]
            days = {"date": book.date, "read": book.read}
            return Rate(low=usd, high=usd, source=book.source, **days), [book]
        if own:
            having.append(book)
        by_region = {**own, **by_region}
    if not having:
        return None
    rate = Rate(
        low=min(by_region.values()),
        high=max(by_region.values()),
        source="; ".join(it.source for it in having),
        # Of several days the one since which none of them was looked up again.
        date=min(it.date for it in having),
        elsewhere=True,
    )
    return rate, having


class NatPrices(Fact):
    """USD an hour: for each machine behind the gateway up to `capped`, and for each address.

    `gib` is for each GiB that goes through.
    """

    machine_hour: Rate
    capped_hour: Rate
    address_hour: Rate
    gib: Rate


class SizePrice(PriceRange):
    """USD an hour for each GiB of an instance of at most that size."""

    up_to_gib: int = Field(gt=0)


class RedisPrices(Fact):
    """By tier, the smallest size first; of one `region` alone."""

    BASIC: tuple[SizePrice, ...]
    STANDARD_HA: tuple[SizePrice, ...]
    region: str
    source: str = Field(min_length=1)
    date: datetime.date
    read: datetime.date

    def rate(self, tier: str, gib: int, region: str) -> Rate | None:
        """USD an hour for each GiB of an instance of that size; None when not known."""
        sizes = {"BASIC": self.BASIC, "STANDARD_HA": self.STANDARD_HA}.get(tier, ())
        fits = next((it for it in sizes if 0 < gib <= it.up_to_gib), None)
        if fits is None:
            return None
        return Rate(
            low=fits.low,
            high=fits.high,
            source=self.source,
            date=self.date,
            read=self.read,
            elsewhere=region != self.region,
        )


class RegionalRate(Rate):
    """A price that is known of one `region` alone."""

    region: str

    def rate(self, region: str) -> Rate:
        own = self.model_dump(exclude={"region", "elsewhere"})
        return Rate(**own, elsewhere=region != self.region)


class PriceTable(Table):
    """Prices that hold in every region that is known, or are known of one; `lustre_gib_month` is
    keyed by the tier's MB/s per TiB, and `free` has the types of resources that Google bills
    nothing for, each with its source."""

    disk_gib_month: dict[str, RegionalRate]
    image_gb_month: Rate
    log_gib: Rate
    bucket_operations: Rate
    free: dict[str, str]
    cluster_hour: Rate
    extended_cluster_hour: Rate
    lustre_gib_month: dict[int, RegionalRate]
    redis_gib_hour: RedisPrices
    nat: NatPrices
