"""What an hour of a machine costs by the way in which it is had. Pure."""

from catalog import Catalog, PriceRange
from components.capacity import CapacityMode


def machine_price(
    machine: str, region: str, mode: CapacityMode, catalog: Catalog
) -> PriceRange | None:
    """USD, that of a reservation as on demand; None where none is published."""
    price = catalog.machine_price(machine).within(region)
    match mode:
        case CapacityMode.SPOT:
            return price.spot
        case CapacityMode.FLEX_START | CapacityMode.QUEUED:
            return None
        case _:
            return price.on_demand
