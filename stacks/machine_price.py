"""What an hour of machines costs by the way in which they are had. Pure."""

from collections.abc import Iterable

from catalog import Catalog, MachineRate, Way
from components.base.capacity import CapacityMode
from stacks.money import Unpriced, nearest, total, unpriced
from stacks.parts.pools.plan import PlannedPool

_CENTS_BELOW = 10
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


def hourly_cost(pools: Iterable[PlannedPool], catalog: Catalog) -> str:
    """From the fewest to the most nodes, with the day of the oldest price."""
    priced = [(it, price_of(it, catalog)) for it in pools]
    known = [(it.bounds, price) for it, price in priced if price is not None]
    low = sum(price.low * size.min for size, price in known)
    high = sum(price.high * size.max for size, price in known)
    day = min((price.date for _, price in known if price.date is not None), default=None)
    missing = [
        unpriced_of(it, (it.bounds.min, it.bounds.max), catalog)
        for it, price in priced
        if price is None
    ]
    amount = "" if day is None else usd(low, high)
    said = total(amount, f"USD at the prices of {day}", missing)
    return "; ".join(it for it in (said, nearest(missing)) if it)


def unpriced_of(pool: PlannedPool, nodes: tuple[int, int], catalog: Catalog) -> Unpriced:
    """So many machines of a pool whose price is not known."""
    region = pool.zone.rpartition("-")[0]
    return unpriced(pool.machine, pool.machine.name, nodes, region, catalog)


def price_of(pool: PlannedPool, catalog: Catalog) -> MachineRate | None:
    """Of one of its machines, in its region and as it is had."""
    region, mode = pool.zone.rpartition("-")[0], CapacityMode(pool.config.capacity.mode)
    return machine_price(pool.machine.name, region, mode, catalog)


def usd(low: float, high: float) -> str:
    """Whole dollars, or cents of what is small; both ends where they are said differently."""
    ends = [f"{it:,.0f}" if it >= _CENTS_BELOW else f"{it:,.2f}" for it in (low, high)]
    return " to ".join(dict.fromkeys(ends))
