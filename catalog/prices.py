"""Published price ranges in USD, without tax or discounts. A price not known is None, never 0."""

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


class Fee(Fact):
    """USD an hour."""

    hourly: Usd
    source: str


class PriceTable(Table):
    """`lustre_gib_month` is keyed by the tier's MB/s per TiB."""

    cluster_fee: Fee
    machine_types: dict[str, MachinePrice]
    lustre_gib_month: dict[int, PriceRange]
