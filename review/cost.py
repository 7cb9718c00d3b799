"""What a stack costs by component, from the catalog's dated prices. Pure.

An amount that is not known stays so: it never counts as zero, and totals say how many are missing.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from catalog import Catalog, FactError, GkeVersion, MachineRate, PriceRange, Rate, Way
from catalog.prices import bucket_rate, disk_rate, local_ssd_rate
from catalog.versions import ReleaseChannel
from cli.urns import name_of, token_of
from components.base.capacity import CapacityMode
from kube.reading import whole
from stacks import clock
from stacks.machine_price import machine_price
from stacks.money import Unpriced, unpriced
from stacks.node_pool_facts import PoolFacts, pool_facts, region_of
from stacks.refusal import CLUSTER, NODE_POOL
from stacks.workloads import devices_of

MONTH_HOURS = 730
HOW_MANY = "; how many is not known"
_NAT_CAP = 32
_ON_AUTOPILOT = "what pods ask for, on Autopilot"
_RESERVED = (CapacityMode.RESERVATION, CapacityMode.ANY_RESERVATION)
_ON_REQUEST = (CapacityMode.FLEX_START, CapacityMode.QUEUED)
_OF_GOOGLE = "gcp:"
_NETWORK = "gcp:compute/network:Network"
_TRAFFIC = "traffic out of the zone or the region"
# A GKE boot disk of this type has what Compute Engine provisions by its size.
_BILLED_ABOVE = {"hyperdisk-balanced": "IOPS above 3,000 and MiB/s above 140"}
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
    `amount_unknown` says that it is the amount. `elsewhere`: at the prices of other regions.
    `unpriced` are machines whose price is not known. `date` is the day of the price, where its
    source has one, and `spot` says that Google may change it any day."""

    component: str
    what: str
    hourly: Amount | None
    source: str
    amount_unknown: bool = False
    elsewhere: bool = False
    unpriced: Unpriced | None = None
    date: datetime.date | None = None
    spot: bool = False


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
    def monthly(self) -> Amount | None:
        """None while machines are in it that have no price: the rest says nothing of it."""
        return None if self.unpriced else self.hourly.times(MONTH_HOURS)

    @property
    def unpriced(self) -> tuple[Unpriced, ...]:
        return tuple(it.unpriced for it in self.parts if it.unpriced is not None)

    @property
    def at_least(self) -> bool:
        """Whether something has no price that is known."""
        return any(it.hourly is None and not it.amount_unknown for it in self.parts)

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
    parts += _on_existing({token: name for name, token, _ in reversed(found)}, catalog)
    parts.sort(key=lambda it: (it.component, it.what))
    asked = _asked_on_autopilot(found)
    return Cost(tuple(_with_asked(it, asked) for it in parts), _devices(pools.values(), asked))


def _pool(name: str, pool: PoolFacts, catalog: Catalog) -> Iterator[Part]:
    nodes, price = _count(pool.low, pool.high), _machine_rate(pool, catalog)
    what = f"{nodes} x {pool.machine_type}, {pool.capacity.value}{_note(pool, price)}"
    part = _priced(name, what, price, (pool.low, pool.high))
    on_spot = pool.capacity is CapacityMode.SPOT
    part = replace(part, spot=on_spot)
    if price is None and pool.high:
        nodes_of = (pool.low, pool.high)
        lacks = unpriced(pool.machine, pool.machine_type, nodes_of, pool.region, catalog)
        part = replace(part, unpriced=lacks)
    yield part
    disk = disk_rate(pool.disk_type, pool.region)
    what = f"{nodes} x {pool.disk_gb} GiB of {pool.disk_type or 'boot disk'}"
    yield _priced(
        name, what, disk, (pool.low * pool.disk_gb, pool.high * pool.disk_gb), MONTH_HOURS
    )
    if (more := _BILLED_ABOVE.get(pool.disk_type)) and pool.high:
        yield _by_use(name, f"{more} of {nodes} boot disks")
    if pool.secondary_disk:
        what = f"each GiB of {nodes} secondary boot disks {_each(disk)} a month"
        yield _by_use(name, what, disk)
    ssd = pool.machine.local_ssd if pool.machine is not None else None
    if ssd is not None and not (price and price.with_local_ssd):
        gib = ssd.count * ssd.gib_each
        way = Way.SPOT if on_spot else Way.ON_DEMAND
        rate = None if pool.capacity in _ON_REQUEST else local_ssd_rate(way, pool.region)
        what = f"{nodes} x {gib} GiB of local SSD"
        ssds = _priced(name, what, rate, (pool.low * gib, pool.high * gib), MONTH_HOURS)
        yield replace(ssds, spot=on_spot)


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
            yield from _cluster(name, inputs, catalog)
        case "gcp:lustre/instance:Instance":
            gib, tier = (
                whole(inputs.get("capacityGib")),
                whole(inputs.get("perUnitStorageThroughput")),
            )
            rate = _lustre(tier, region_of(str(inputs.get("location") or "")), catalog)
            what = f"{gib} GiB of Lustre at {tier} MB/s per TiB"
            yield _priced(name, what, rate, (gib, gib), MONTH_HOURS)
        case "gcp:redis/instance:Instance":
            gib, tier = whole(inputs.get("memorySizeGb")), str(inputs.get("tier") or "BASIC")
            rate = prices.redis_gib_hour.rate(tier, gib, str(inputs.get("region") or ""))
            what = f"{gib} GiB of Redis, {tier}"
            yield _priced(name, what, rate, (gib, gib))
        case "gcp:storage/bucket:Bucket":
            rate = bucket_rate(str(inputs.get("location") or "").lower())
            yield _by_use(name, f"each GiB stored {_each(rate)} a month", rate)
            rate = prices.bucket_operations
            yield _by_use(name, f"each 10,000 operations {_each(rate)}", rate)
        case "gcp:artifactregistry/repository:Repository":
            rate = prices.image_gb_month
            yield _by_use(name, f"each GB of images {_each(rate)} a month", rate)
        case "gcp:compute/routerNat:RouterNat":
            yield _gateway(name, machines, catalog)
            rate = prices.nat.gib
            yield _by_use(name, f"each GiB through the gateway {_each(rate)}", rate)
        case "gcp:compute/network:Network":
            yield _by_use(name, _TRAFFIC)
        case _ if token.startswith(_OF_GOOGLE) and token not in prices.free:
            what = f"{token}, which no table of the catalog calls free"
            yield Part(name, what, None, _source(None))
        case _:
            return


def _cluster(name: str, inputs: Mapping[str, Any], catalog: Catalog) -> Iterator[Part]:
    prices = catalog.prices
    yield _priced(name, "cluster fee", prices.cluster_hour, (1, 1))
    if _is_extended(inputs, catalog):
        what = "cluster fee of the Extended channel, once standard support is over"
        yield _priced(name, what, prices.extended_cluster_hour, (1, 1))
    yield from _observed(name, catalog)
    if inputs.get("enableAutopilot"):
        yield Part(name, _ON_AUTOPILOT, None, "no price known")
        rate = prices.nat.machine_hour
        yield _by_use(name, f"each machine of Autopilot's behind a NAT gateway {_each(rate)}", rate)


def _observed(name: str, catalog: Catalog) -> Iterator[Part]:
    rate = catalog.prices.log_gib
    yield _by_use(name, f"each GiB of logs {_each(rate)}", rate)
    yield _by_use(name, "samples of metrics and API reads")


def _on_existing(named: Mapping[str, str], catalog: Catalog) -> Iterator[Part]:
    """What machines cause in a cluster or a network that the stack has not made. `named` is the
    first resource of each type."""
    host = named.get(CLUSTER) or named.get(NODE_POOL)
    if host is None:
        return
    if CLUSTER not in named:
        yield from _observed(host, catalog)
    if _NETWORK not in named:
        yield _by_use(host, _TRAFFIC)


def _by_use(name: str, what: str, rate: Rate | None = None) -> Part:
    """What Google bills by an amount that nobody knows beforehand."""
    said = what if rate is None else f"{what}{HOW_MANY}"
    return Part(name, said, None, _source(rate), amount_unknown=True)


def _is_extended(cluster: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether the cluster's version is supported only by the Extended channel any more."""
    channel = (cluster.get("releaseChannel") or {}).get("channel")
    version = cluster.get("minMasterVersion")
    if channel != ReleaseChannel.EXTENDED or not isinstance(version, str):
        return False
    standard = catalog.gke_calendar.end_of_support(
        GkeVersion.parse(version), ReleaseChannel.REGULAR
    )
    return standard is not None and standard <= clock.now().date()


def _lustre(tier: int, region: str, catalog: Catalog) -> Rate | None:
    try:
        return catalog.lustre_price(tier, region)
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
        date=nat.machine_hour.date,
    )


def _asked_on_autopilot(found: Iterable[tuple[str, str, Mapping[str, Any]]]) -> dict[str, int]:
    """Accelerators of the pods that nodes are made for; none where there is no such cluster."""
    resources, asked = list(found), Counter[str]()
    if any(inputs.get("enableAutopilot") for _, _, inputs in resources):
        for _, token, inputs in resources:
            asked += devices_of(token, inputs)
    return dict(asked)


def _with_asked(part: Part, asked: Mapping[str, int]) -> Part:
    """Pods are all that is paid for there."""
    if part.what != _ON_AUTOPILOT:
        return part
    devices = ", ".join(f"{count:,} {kind}s" for kind, count in sorted(asked.items()) if count)
    return replace(part, unpriced=Unpriced(f"{devices or 'all'} that pods ask for on Autopilot"))


def _devices(pools: Iterable[PoolFacts], asked: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Accelerators of the pools and, on Autopilot, of what pods ask for."""
    devices: dict[str, tuple[int, int]] = {}

    def add(kind: str, low: int, high: int) -> None:
        before = devices.get(kind, (0, 0))
        devices[kind] = (before[0] + low, before[1] + high)

    for pool in pools:
        if pool.accelerators:
            add(pool.kind, pool.accelerators * pool.low, pool.accelerators * pool.high)
    for kind, count in asked.items():
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
    return Part(name, what, hourly, _source(rate), elsewhere=rate.elsewhere, date=rate.date)


def _source(rate: Rate | None) -> str:
    return "no price known" if rate is None else str(rate)


def _each(rate: PriceRange | None) -> str:
    if rate is None:
        return "at what is not known"
    return " to ".join(dict.fromkeys(f"{it:g}" for it in (rate.low, rate.high)))


def _count(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
