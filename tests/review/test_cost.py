"""The arithmetic of a bill, and that what is not known stays visible."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog, MachinePrice
from review.cost import MONTH_HOURS, Amount, Cost, Part, cost_of
from tests.review.test_changes import POOL, RAY, urn
from tests.review.test_danger import RESERVED, SPOT

CATALOG = Catalog.load()
CLUSTER = "gcp:container/cluster:Cluster"
LUSTRE, NAT = "gcp:lustre/instance:Instance", "gcp:compute/routerNat:RouterNat"
REDIS = "gcp:redis/instance:Instance"


def bill(*resources: tuple[str, str, dict[str, Any]]) -> Cost:
    return cost_of([(urn(name, token), inputs) for name, token, inputs in resources], CATALOG)


def part(cost: Cost, what: str) -> Part:
    return next(one for one in cost.parts if what in one.what)


def test_machines_cost_from_the_lowest_price_of_the_fewest_to_the_highest_of_the_most() -> None:
    price = CATALOG.machine_price("a4-highgpu-8g").spot
    assert price is not None
    machines = part(bill(("gpu", POOL, SPOT)), "a4-highgpu-8g")
    assert machines.hourly == Amount(0 * price.low, 4 * price.high)
    assert machines.what == "0 to 4 x a4-highgpu-8g, spot"


def test_a_reservation_is_counted_at_the_on_demand_price_and_says_so() -> None:
    price = CATALOG.machine_price("a3-ultragpu-8g").on_demand
    assert price is not None
    machines = part(bill(("gpu", POOL, RESERVED)), "a3-ultragpu-8g")
    assert machines.hourly == Amount(2 * price.low, 2 * price.high)
    assert machines.what.endswith("reservation, at the on-demand price")


def test_a_zone_that_is_known_has_its_regions_own_price() -> None:
    zone = "us-central1-b"
    pool: dict[str, Any] = {"nodeCount": 2, "location": zone}
    pool["nodeConfig"] = {"machineType": "a3-ultragpu-8g", "spot": True}
    machines = part(bill(("gpu", POOL, pool)), "a3-ultragpu-8g")
    own = CATALOG.machine_price("a3-ultragpu-8g").regions["us-central1"].spot
    assert own is not None
    assert machines.hourly == Amount(2 * own, 2 * own)
    assert "over all regions" not in machines.source
    anywhere = part(bill(("gpu", POOL, {**pool, "location": "mars-1"})), "a3-ultragpu-8g")
    assert anywhere.hourly is not None
    assert anywhere.hourly.low < anywhere.hourly.high
    assert anywhere.source.endswith("over all regions")


def test_a_region_without_a_spot_price_has_none_and_not_the_price_of_another() -> None:
    pool: dict[str, Any] = {"nodeCount": 1, "location": "us-east5"}
    pool["nodeConfig"] = {"machineType": "a3-ultragpu-8g", "spot": True}
    assert part(bill(("gpu", POOL, pool)), "a3-ultragpu-8g").hourly is None


@pytest.mark.parametrize(
    "change",
    [
        {"nodeConfig": {"machineType": "z9-new"}},
        {"nodeConfig": {"machineType": "a4-highgpu-8g", "flexStart": True}},
        {"queuedProvisioning": {"enabled": True}},
    ],
)
def test_a_price_that_is_not_known_is_unknown_and_never_zero(change: dict[str, Any]) -> None:
    cost = bill(("gpu", POOL, {**SPOT, **change}))
    machines = cost.parts[-1]
    assert (machines.hourly, machines.source) == (None, "no price known")
    assert machines in cost.unknown


def test_disks_cost_by_the_month() -> None:
    pool = {"nodeCount": 3, "nodeConfig": {"machineType": "e2-standard-4", "diskSizeGb": 100}}
    pool["nodeConfig"] = {**pool["nodeConfig"], "diskType": "pd-ssd"}  # type: ignore[dict-item]
    disks = part(bill(("cpu", POOL, pool)), "pd-ssd")
    assert disks.hourly is not None
    assert disks.hourly.times(MONTH_HOURS).low == pytest.approx(3 * 100 * 0.17)
    assert disks.source == "Compute Engine disk pricing page, 2026-11-21"


def test_lustre_without_a_known_price_shows_its_size() -> None:
    inputs = {"capacityGib": "9000", "perUnitStorageThroughput": "1000"}
    (line,) = bill(("lustre", LUSTRE, inputs)).parts
    assert line.what == "9000 GiB of Lustre at 1000 MB/s per TiB"
    assert line.hourly is None


@pytest.mark.parametrize(("nodes", "hourly"), [(2, 0.0028), (32, 0.0448), (33, 0.044)])
def test_a_gateway_costs_by_machine_up_to_its_cap(nodes: int, hourly: float) -> None:
    pool = {"nodeCount": nodes, "nodeConfig": {"machineType": "e2-standard-4"}}
    gateway = part(bill(("cpu", POOL, pool), ("nat", NAT, {})), "NAT gateway")
    assert gateway.hourly is not None
    assert gateway.hourly.low == pytest.approx(hourly + 0.005)


def test_the_total_is_the_sum_of_what_is_known() -> None:
    known, other = Part("a", "x", Amount(1, 2), "s"), Part("b", "y", Amount(3, 5), "s")
    cost = Cost((known, other, Part("c", "z", None, "s")))
    assert cost.hourly == Amount(4, 7)
    assert cost.monthly == Amount(4 * 730, 7 * 730)
    assert len(cost.unknown) == 1


def test_accelerators_are_counted_at_the_smallest_and_the_largest_size() -> None:
    assert bill(("gpu", POOL, SPOT), ("more", POOL, RESERVED)).devices == {"GPU": (16, 48)}


def test_on_autopilot_the_workers_say_how_many_accelerators_there_are() -> None:
    limits = {"resources": {"limits": {"nvidia.com/gpu": "8"}}}
    group = {"replicas": 2, "template": {"spec": {"containers": [limits]}}}
    ray = ("ray", RAY, {"spec": {"workerGroupSpecs": [group]}})
    assert bill(("gke", CLUSTER, {"enableAutopilot": True}), ray).devices == {"GPU": (16, 16)}
    assert bill(("gke", CLUSTER, {}), ray).devices == {}


def test_every_line_has_a_source() -> None:
    lines = bill(("gpu", POOL, SPOT), ("gke", CLUSTER, {}), ("nat", NAT, {})).parts
    assert all(line.source for line in lines)
    assert part(bill(("gke", CLUSTER, {})), "fee").source.endswith(", 2026-11-21")


def test_a_regions_price_outside_of_the_range_over_all_regions_is_refused() -> None:
    price = {"spot": {"low": 1.0, "high": 2.0}, "regions": {"us-east1": {"spot": 3.0}}}
    with pytest.raises(ValueError, match="outside of the range over all regions"):
        MachinePrice.model_validate(price)


@pytest.mark.parametrize(
    ("tier", "gib", "hourly"),
    [("BASIC", 1, 0.049), ("STANDARD_HA", 5, 0.27), ("STANDARD_HA", 300, 9.0)],
)
def test_redis_costs_by_tier_and_the_whole_size_at_the_price_of_its_size(
    tier: str, gib: int, hourly: float
) -> None:
    (line,) = bill(("redis", REDIS, {"tier": tier, "memorySizeGb": gib})).parts
    assert line.what == f"{gib} GiB of Redis, {tier}"
    assert line.hourly is not None
    assert (line.hourly.low, line.hourly.high) == pytest.approx((hourly, hourly))


@pytest.mark.parametrize(("tier", "gib"), [("BASIC", 301), ("BASIC", 0), ("GOLD", 1)])
def test_redis_of_a_size_or_tier_without_a_price_shows_that(tier: str, gib: int) -> None:
    (line,) = bill(("redis", REDIS, {"tier": tier, "memorySizeGb": gib})).parts
    assert (line.hourly, line.source) == (None, "no price known")
