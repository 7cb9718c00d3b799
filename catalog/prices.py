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


class MachinePrice(Fact):
    """USD an hour for one machine with its accelerators; disks and networks are not in it."""

    on_demand: PriceRange | None = None
    spot: PriceRange | None = None


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


class PriceTable(Table):
    """`lustre_gib_month` is keyed by the tier's MB/s per TiB, `disk_gib_month` by the disk type.

    The table's own source and date are those of the machine types.
    """

    cluster_hour: Rate
    machine_types: dict[str, MachinePrice]
    lustre_gib_month: dict[int, Rate]
    disk_gib_month: dict[str, Rate]
    bucket_gib_month: Rate
    nat: NatPrices
