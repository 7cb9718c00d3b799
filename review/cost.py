"""What a stack costs by component, from the catalog's dated prices. Pure.

An amount that is not known stays so: it never counts as zero, and totals say how many are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from catalog import Catalog, FactError, MachineRate, PriceRange, Rate, Way
from catalog.prices import bucket_rate, disk_rate, local_ssd_rate
from components.capacity import CapacityMode
from review.node_pool_facts import PoolFacts, pool_facts
from sandbox.urns import name_of, token_of
from stacks.machine_price import machine_price
from stacks.refusal import NODE_POOL
from stacks.workloads import RAY_CLUSTER, devices_of

MONTH_HOURS = 730
_NAT_CAP = 32
_RESERVED = (CapacityMode.RESERVATION, CapacityMode.ANY_RESERVATION)
_ON_REQUEST = (CapacityMode.FLEX_START, CapacityMode.QUEUED)
_PRICED = {Way.ON_DEMAND: "on demand", Way.CALENDAR: "of calendar mode"}


@dataclass(frozen=True)
class Amount:
    """USD an hour, from the lowest price at the smallest size to the highest at the largest."""

    low: float
    high: float

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.low - other.low, self.high - other.high)

    def times(self, factor: float) -> Amount:
        return Amount(self.low * factor, self.high * factor)


@dataclass(frozen=True)
class Part:
    """One line of a bill; `hourly` is None where a price or an amount is not known, and
    `amount_unknown` says that it is the amount. `elsewhere`: at the prices of other regions."""

    component: str
    what: str
    hourly: Amount | None
    source: str
    amount_unknown: bool = False
    elsewhere: bool = False


@dataclass(frozen=True)
class Cost:
    """A stack's bill, and its accelerators by kind from the smallest to the largest size."""

    parts: tuple[Part, ...] = ()
    devices: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    @property
    def hourly(self) -> Amount:
        """The sum of what is known."""
        return sum((it.hourly for it in self.parts if it.hourly), Amount(0.0, 0.0))

    @property
    def monthly(self) -> Amount:
        return self.hourly.times(MONTH_HOURS)

    @property
    def unknown(self) -> tuple[Part, ...]:
        return tuple(it for it in self.parts if it.hourly is None)


def cost_of(
    resources: Iterable[tuple[str, Mapping[str, Any]]],
    catalog: Catalog,
    nodes: Mapping[str, int] | None = None,
) -> Cost:
    """The bill of resources, given as URN and inputs; of so many `nodes` of a pool by its logical
    name, where that is known."""
    found = [(name_of(urn), token_of(urn), inputs) for urn, inputs in resources]
    pools = {name: pool_facts(it, catalog) for name, token, it in found if token == NODE_POOL}
    for name, count in (nodes or {}).items():
        pools[name] = replace(pools[name], low=count, high=count)
    machines = sum(it.low for it in pools.values()), sum(it.high for it in pools.values())
    parts: list[Part] = []
    for name, token, inputs in found:
        if name in pools:
            parts += _pool(name, pools[name], catalog)
        else:
            parts += _other(name, token, inputs, machines, catalog)
    parts.sort(key=lambda it: (it.component, it.what))
    return Cost(tuple(parts), _devices(pools.values(), found))


def _pool(name: str, pool: PoolFacts, catalog: Catalog) -> Iterator[Part]:
    nodes, price = _count(pool.low, pool.high), _machine_rate(pool, catalog)
    what = f"{nodes} x {pool.machine_type}, {pool.capacity.value}{_note(pool, price)}"
    yield _priced(name, what, price, (pool.low, pool.high))
    disk = disk_rate(pool.disk_type, pool.region)
    what = f"{nodes} x {pool.disk_gb} GiB of {pool.disk_type or 'boot disk'}"
    yield _priced(
        name, what, disk, (pool.low * pool.disk_gb, pool.high * pool.disk_gb), MONTH_HOURS
    )
    if pool.secondary_disk:
        what = (
            f"each GiB of {nodes} secondary boot disks {_each(disk)} a month; how many is not known"
        )
        yield Part(name, what, None, _source(disk), amount_unknown=True)
    ssd = pool.machine.local_ssd if pool.machine is not None else None
    if ssd is not None and not (price and price.with_local_ssd):
        gib = ssd.count * ssd.gib_each
        way = Way.SPOT if pool.capacity is CapacityMode.SPOT else Way.ON_DEMAND
        rate = None if pool.capacity in _ON_REQUEST else local_ssd_rate(way, pool.region)
        what = f"{nodes} x {gib} GiB of local SSD"
        yield _priced(name, what, rate, (pool.low * gib, pool.high * gib), MONTH_HOURS)


def _note(pool: PoolFacts, price: MachineRate | None) -> str:
    """How a reservation is counted, which has no price of its own."""
    if price is None or pool.capacity not in _RESERVED:
        return ""
    return f", at the price {_PRICED[price.way]}"


def _machine_rate(pool: PoolFacts, catalog: Catalog) -> MachineRate | None:
    if pool.machine is None:
        return None
    return machine_price(pool.machine.name, pool.region, pool.capacity, catalog)


def _other(
    name: str, token: str, inputs: Mapping[str, Any], machines: tuple[int, int], catalog: Catalog
) -> Iterator[Part]:
    prices = catalog.prices
    match token:
        case "gcp:container/cluster:Cluster":
            fee = prices.cluster_hour
            yield Part(name, "cluster fee", Amount(fee.low, fee.high), _source(fee))
            if inputs.get("enableAutopilot"):
                yield Part(name, "what pods ask for, on Autopilot", None, "no price known")
        case "gcp:lustre/instance:Instance":
            gib, tier = int(inputs["capacityGib"]), int(inputs.get("perUnitStorageThroughput") or 0)
            rate = _lustre(tier, catalog)
            what = f"{gib} GiB of Lustre at {tier} MB/s per TiB"
            yield _priced(name, what, rate, (gib, gib), MONTH_HOURS)
        case "gcp:redis/instance:Instance":
            gib, tier = int(inputs["memorySizeGb"]), str(inputs.get("tier") or "BASIC")
            rate = prices.redis_gib_hour.rate(tier, gib, str(inputs.get("region") or ""))
            what = f"{gib} GiB of Redis, {tier}"
            yield _priced(name, what, rate, (gib, gib))
        case "gcp:storage/bucket:Bucket":
            rate = bucket_rate(str(inputs.get("location") or "").lower())
            what = f"each GiB stored {_each(rate)} a month; how many is not known"
            yield Part(name, what, None, _source(rate), amount_unknown=True)
        case "gcp:compute/routerNat:RouterNat":
            yield _gateway(name, machines, catalog)
            rate = prices.nat.gib
            what = f"each GiB through the gateway {_each(rate)}; how many is not known"
            yield Part(name, what, None, _source(rate), amount_unknown=True)
        case "gcp:compute/network:Network":
            what = "traffic out of the zone or the region"
            yield Part(name, what, None, "no price known", amount_unknown=True)
        case _:
            return


def _lustre(tier: int, catalog: Catalog) -> Rate | None:
    try:
        return catalog.lustre_price(tier)
    except FactError:
        return None


def _gateway(name: str, machines: tuple[int, int], catalog: Catalog) -> Part:
    nat = catalog.prices.nat
    low, high = (
        nat.capped_hour.low if count > _NAT_CAP else nat.machine_hour.low * count
        for count in machines
    )
    address = nat.address_hour.low
    return Part(
        name,
        f"NAT gateway for {_count(*machines)} machines, with one address",
        Amount(low + address, high + address),
        _source(nat.machine_hour),
    )


def _devices(
    pools: Iterable[PoolFacts], found: Iterable[tuple[str, str, Mapping[str, Any]]]
) -> dict[str, tuple[int, int]]:
    """Accelerators of the pools and, on Autopilot, of the Ray workers that nodes are made for."""
    devices: dict[str, tuple[int, int]] = {}

    def add(kind: str, low: int, high: int) -> None:
        before = devices.get(kind, (0, 0))
        devices[kind] = (before[0] + low, before[1] + high)

    for pool in pools:
        if pool.accelerators:
            add(pool.kind, pool.accelerators * pool.low, pool.accelerators * pool.high)
    resources = list(found)
    if any(inputs.get("enableAutopilot") for _, _, inputs in resources):
        for _, token, inputs in resources:
            if token == RAY_CLUSTER:
                for kind, count in devices_of(token, inputs).items():
                    add(kind, count, count)
    return devices


def _priced(
    name: str, what: str, rate: Rate | None, amount: tuple[int, int], per_hours: float = 1
) -> Part:
    """So much of something, from the smallest to the largest size."""
    if rate is None:
        return Part(name, what, None, _source(rate))
    low, high = amount
    hourly = Amount(rate.low * low / per_hours, rate.high * high / per_hours)
    return Part(name, what, hourly, _source(rate), elsewhere=rate.elsewhere)


def _source(rate: Rate | None) -> str:
    return "no price known" if rate is None else str(rate)


def _each(rate: PriceRange | None) -> str:
    if rate is None:
        return "at what is not known"
    return " to ".join(dict.fromkeys(f"{it:g}" for it in (rate.low, rate.high)))


def _count(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
