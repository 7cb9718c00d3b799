"""The arithmetic of a bill, and that what is not known stays visible."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog, MachineRate, Way
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


def rate(machine: str, way: Way, region: str) -> MachineRate:
    found = CATALOG.machine_rate(machine, way, region)
    assert found is not None
    return found


def pool(machine: str, nodes: int, location: str, **config: Any) -> tuple[str, str, dict[str, Any]]:
    inputs = {"nodeCount": nodes, "location": location}
    return ("gpu", POOL, {**inputs, "nodeConfig": {"machineType": machine, **config}})


def test_machines_cost_from_the_lowest_price_of_the_fewest_to_the_highest_of_the_most() -> None:
    price = rate("a4-highgpu-8g", Way.SPOT, "")
    machines = part(bill(("gpu", POOL, SPOT)), "a4-highgpu-8g")
    assert machines.hourly == Amount(0 * price.low, 4 * price.high)
    assert machines.what == "0 to 4 x a4-highgpu-8g, spot"


@pytest.mark.parametrize(
    ("machine", "way", "said"),
    [
        ("a3-ultragpu-8g", Way.ON_DEMAND, "on demand"),
        ("a4-highgpu-8g", Way.CALENDAR, "of calendar mode"),
    ],
)
def test_a_reservation_is_counted_as_its_machines_are_priced_and_says_so(
    machine: str, way: Way, said: str
) -> None:
    price = rate(machine, way, "us-central1")
    affinity = {"consumeReservationType": "SPECIFIC_RESERVATION"}
    own = pool(machine, 2, "us-central1-b", reservationAffinity=affinity)
    machines = part(bill(own), machine)
    assert price.low == price.high
    assert machines.hourly == Amount(2 * price.low, 2 * price.high)
    assert machines.what.endswith(f"reservation, at the price {said}")


def test_a_zone_that_is_known_has_its_regions_own_price() -> None:
    machines = part(bill(pool("a3-ultragpu-8g", 2, "us-central1-b", spot=True)), "a3-ultragpu-8g")
    own = rate("a3-ultragpu-8g", Way.SPOT, "us-central1").low
    assert machines.hourly == Amount(2 * own, 2 * own)
    assert not machines.elsewhere


@pytest.mark.parametrize("location", ["us-east5-a", "mars-1"])
def test_where_the_price_is_not_known_it_is_between_those_of_other_regions_and_says_so(
    location: str,
) -> None:
    machines = part(bill(pool("a3-ultragpu-8g", 2, location, spot=True)), "a3-ultragpu-8g")
    assert machines.hourly is not None
    assert machines.hourly.low < machines.hourly.high
    assert machines.elsewhere
    assert machines.source.endswith(", of other regions")


def test_disks_and_local_ssd_cost_as_in_their_region() -> None:
    def known(what: str, location: str) -> float:
        own = pool("g2-standard-8", 2, location, spot=True, diskType="pd-ssd", diskSizeGb=100)
        found = part(bill(own), what)
        assert found.hourly is not None
        assert found.hourly.low == found.hourly.high
        return found.hourly.times(MONTH_HOURS).low

    assert known("pd-ssd", "us-central1-a") == pytest.approx(2 * 100 * 0.17)
    assert known("pd-ssd", "europe-west4-a") == pytest.approx(2 * 100 * 0.187)
    assert known("375 GiB of local SSD", "us-central1-a") == pytest.approx(2 * 375 * 0.0389)


def test_secondary_boot_disks_are_said_to_be_of_a_size_that_is_not_known() -> None:
    disk = [{"diskImage": "projects/p/global/images/trainer"}]
    own = pool("g2-standard-8", 2, "us-central1-a", diskType="pd-ssd", secondaryBootDisks=disk)
    found = part(bill(own), "secondary boot disks")
    assert found.what == "each GiB of 2 secondary boot disks 0.17 a month; how many is not known"
    assert found.hourly is None
    assert found.amount_unknown


def test_local_ssd_that_is_in_the_price_of_the_machine_has_no_line_of_its_own() -> None:
    for machine in ("a3-highgpu-8g", "a4-highgpu-8g"):
        lines = bill(pool(machine, 1, "us-central1-b", spot=machine.startswith("a4"))).parts
        assert not [it for it in lines if "local SSD" in it.what]


@pytest.mark.parametrize(
    "change",
    [
        {"nodeConfig": {"machineType": "z9-new"}},
        {"nodeConfig": {"machineType": "a3-ultragpu-8g", "flexStart": True}},
        {
            "nodeConfig": {"machineType": "a3-ultragpu-8g"},
            "queuedProvisioning": {"enabled": True},
        },
    ],
)
def test_a_price_that_is_not_known_is_unknown_and_never_zero(change: dict[str, Any]) -> None:
    cost = bill(("gpu", POOL, {**SPOT, **change}))
    machines = next(it for it in cost.parts if "GiB" not in it.what)
    assert (machines.hourly, machines.source) == (None, "no price known")
    assert machines in cost.unknown


def test_lustre_without_a_known_price_shows_its_size() -> None:
    inputs = {"capacityGib": "9000", "perUnitStorageThroughput": "1000"}
    (line,) = bill(("lustre", LUSTRE, inputs)).parts
    assert line.what == "9000 GiB of Lustre at 1000 MB/s per TiB"
    assert line.hourly is None


def test_lustre_of_the_slowest_tier_has_a_price() -> None:
    inputs = {"capacityGib": "72000", "perUnitStorageThroughput": "125"}
    (line,) = bill(("lustre", LUSTRE, inputs)).parts
    assert line.hourly is not None
    assert line.hourly.times(MONTH_HOURS).low == pytest.approx(72000 * 0.145)


def test_a_bucket_names_what_a_gib_costs_in_its_region_and_not_how_many_there_are() -> None:
    def line(location: str) -> Part:
        (found,) = bill(("data", "gcp:storage/bucket:Bucket", {"location": location})).parts
        assert (found.hourly, found.amount_unknown) == (None, True)
        return found

    assert line("US-EAST4").what.startswith("each GiB stored 0.023 a month")
    assert line("US").what.startswith("each GiB stored 0.02 to 0.035 a month")


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
    assert line.elsewhere
    here = {"tier": tier, "memorySizeGb": gib, "region": "us-central1"}
    assert not bill(("redis", REDIS, here)).parts[0].elsewhere


@pytest.mark.parametrize(("tier", "gib"), [("BASIC", 301), ("BASIC", 0), ("GOLD", 1)])
def test_redis_of_a_size_or_tier_without_a_price_shows_that(tier: str, gib: int) -> None:
    (line,) = bill(("redis", REDIS, {"tier": tier, "memorySizeGb": gib})).parts
    assert (line.hourly, line.source) == (None, "no price known")
