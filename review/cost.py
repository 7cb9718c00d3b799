"""What a stack costs by component, from the catalog's dated prices. Pure.

An amount that is not known stays so: it never counts as zero, and totals say how many are missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from catalog import Catalog, FactError, PriceRange, Rate
from components.capacity import CapacityMode
from review.node_pool_facts import PoolFacts, pool_facts
from sandbox.urns import name_of, token_of
from stacks.machine_price import machine_price
from stacks.refusal import NODE_POOL
from stacks.workloads import RAY_CLUSTER, devices_of

MONTH_HOURS = 730
_NAT_CAP = 32
_RESERVED = (CapacityMode.RESERVATION, CapacityMode.ANY_RESERVATION)


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
    """One line of a bill; `hourly` is None where a price or an amount is not known."""

    component: str
    what: str
    hourly: Amount | None
    source: str


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
    nodes = _count(pool.low, pool.high)
    price = _machine_price(pool, catalog)
    note = ", at the on-demand price" if pool.capacity in _RESERVED else ""
    where = "" if pool.region in _regions(pool, catalog) else ", over all regions"
    source = f"{catalog.prices.source}, {catalog.prices.date}{where}"
    yield Part(
        name,
        f"{nodes} x {pool.machine_type}, {pool.capacity.value}{note}",
        _times(price, pool.low, pool.high),
        source if price else "no price known",
    )
    disk = catalog.prices.disk_gib_month.get(pool.disk_type)
    yield Part(
        name,
        f"{nodes} x {pool.disk_gb} GiB of {pool.disk_type or 'boot disk'}",
        _times(disk, pool.low * pool.disk_gb, pool.high * pool.disk_gb, MONTH_HOURS),
        _source(disk),
    )
    if pool.machine is not None and pool.machine.local_ssd is not None:
        yield Part(name, f"{nodes} x local SSD", None, "no price known")


def _regions(pool: PoolFacts, catalog: Catalog) -> Collection[str]:
    """Where the price of the pool's machines is known by itself."""
    return catalog.machine_price(pool.machine.name).regions if pool.machine else ()


def _machine_price(pool: PoolFacts, catalog: Catalog) -> PriceRange | None:
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
            yield Part(name, what, _times(rate, gib, gib, MONTH_HOURS), _source(rate))
        case "gcp:redis/instance:Instance":
            gib, tier = int(inputs["memorySizeGb"]), str(inputs.get("tier") or "BASIC")
            rate = prices.redis_gib_hour.rate(tier, gib)
            what = f"{gib} GiB of Redis, {tier}"
            yield Part(name, what, _times(rate, gib, gib), _source(rate))
        case "gcp:storage/bucket:Bucket":
            rate = prices.bucket_gib_month
            what = f"each GiB stored {rate.low:g} to {rate.high:g} a month; how many is not known"
            yield Part(name, what, None, _source(rate))
        case "gcp:compute/routerNat:RouterNat":
            yield _gateway(name, machines, catalog)
            rate = prices.nat.gib
            what = f"each GiB through the gateway {rate.low:g}; how many is not known"
            yield Part(name, what, None, _source(rate))
        case "gcp:compute/network:Network":
            yield Part(name, "traffic out of the zone or the region", None, "no price known")
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


def _times(
    price: PriceRange | None, low: float, high: float, per_hours: float = 1
) -> Amount | None:
    if price is None:
        return None
    return Amount(price.low * low / per_hours, price.high * high / per_hours)


def _source(rate: Rate | None) -> str:
    return "no price known" if rate is None else f"{rate.source}, {rate.date}"


def _count(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
