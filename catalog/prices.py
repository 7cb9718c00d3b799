"""Published price ranges in USD, without tax or discounts. A price not known is None, never 0."""

import datetime
from typing import Annotated, Self

from pydantic import Field, model_validator

from catalog.table import Fact, Table

Usd = Annotated[float, Field(gt=0)]


class PriceRange(Fact):
    """Lowest and highest price over the regions seen."""

    low: Usd
    high: Usd

    @model_validator(mode="after")
    def _low_first(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low {self.low} is above high {self.high}")
        return self


class RegionPrice(Fact):
    """USD an hour for one machine in one region."""

    on_demand: Usd | None = None
    spot: Usd | None = None


class MachinePrice(Fact):
    """USD an hour for one machine with its accelerators; disks and networks are not in it.

    `regions` narrows the ranges over all regions where a region's own price is known.
    """

    on_demand: PriceRange | None = None
    spot: PriceRange | None = None
    regions: dict[str, RegionPrice] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _regions_within_the_ranges(self) -> Self:
        for name, own in self.regions.items():
            for price, over_all in ((own.on_demand, self.on_demand), (own.spot, self.spot)):
                if price is not None and not (over_all and over_all.low <= price <= over_all.high):
                    raise ValueError(f"{name}: {price} is outside of the range over all regions")
        return self

    def within(self, region: str) -> Self:
        """The price in a region, as ranges of one value; as it is where the region is not known."""
        own = self.regions.get(region)
        if own is None:
            return self
        return self.model_copy(
            update={"on_demand": _exactly(own.on_demand), "spot": _exactly(own.spot)}
        )


def _exactly(price: Usd | None) -> PriceRange | None:
    return None if price is None else PriceRange(low=price, high=price)


class Rate(PriceRange):
    """A price with a source of its own and the day on which it was read."""

    source: str = Field(min_length=1)
    date: datetime.date


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
    """By tier, the smallest size first."""

    BASIC: tuple[SizePrice, ...]
    STANDARD_HA: tuple[SizePrice, ...]
    source: str = Field(min_length=1)
    date: datetime.date

    def rate(self, tier: str, gib: int) -> Rate | None:
        """USD an hour for each GiB of an instance of that size; None when not known."""
        sizes = {"BASIC": self.BASIC, "STANDARD_HA": self.STANDARD_HA}.get(tier, ())
        fits = next((it for it in sizes if 0 < gib <= it.up_to_gib), None)
        if fits is None:
            return None
        return Rate(low=fits.low, high=fits.high, source=self.source, date=self.date)


class PriceTable(Table):
    """`lustre_gib_month` is keyed by the tier's MB/s per TiB, `disk_gib_month` by the disk type.

    The table's own source and date are those of the machine types.
    """

    cluster_hour: Rate
    machine_types: dict[str, MachinePrice]
    lustre_gib_month: dict[int, Rate]
    disk_gib_month: dict[str, Rate]
    bucket_gib_month: Rate
    redis_gib_hour: RedisPrices
    nat: NatPrices
