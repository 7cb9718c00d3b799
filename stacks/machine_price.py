"""What an hour of a machine costs by the way in which it is had. Pure."""

from catalog import Catalog, MachineRate, Way
from components.capacity import CapacityMode

# How Google prices what is had so; the first that has a price.
_WAYS = {
    CapacityMode.ON_DEMAND: (Way.ON_DEMAND,),
    CapacityMode.SPOT: (Way.SPOT,),
    # A reservation is billed as its machines on demand (Compute Engine documentation); what has no
    # such price, A4, is taken to be reserved in calendar mode.
    CapacityMode.RESERVATION: (Way.ON_DEMAND, Way.CALENDAR),
    CapacityMode.ANY_RESERVATION: (Way.ON_DEMAND, Way.CALENDAR),
    CapacityMode.FLEX_START: (Way.FLEX_START,),
    CapacityMode.QUEUED: (Way.FLEX_START,),
}


def machine_price(
    machine: str, region: str, mode: CapacityMode, catalog: Catalog
) -> MachineRate | None:
    """USD, without discounts for commitments; None where none is published."""
    found = (catalog.machine_rate(machine, way, region) for way in _WAYS[mode])
    return next((it for it in found if it is not None), None)
