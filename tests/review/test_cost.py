"""The arithmetic of a bill, and that what is not known stays visible."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
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
    inputs = {"capacityGib": "9000", "perUnitStorageThroughput": "2000"}
    (line,) = bill(("lustre", LUSTRE, inputs)).parts
    assert line.what == "9000 GiB of Lustre at 2000 MB/s per TiB"
    assert line.hourly is None


@pytest.mark.parametrize(("tier", "month"), [("250", 0.21), ("500", 0.34), ("1000", 0.6)])
def test_lustre_costs_by_tier(tier: str, month: float) -> None:
    inputs = {"capacityGib": "18000", "perUnitStorageThroughput": tier}
    monthly = bill(("lustre", LUSTRE, inputs)).monthly
    assert monthly is not None
    assert monthly.low == pytest.approx(18000 * month)


@pytest.mark.parametrize(
    ("location", "elsewhere"), [("us-central1-a", False), ("us-east1-b", True)]
)
def test_lustre_outside_the_region_of_its_price_says_so(location: str, elsewhere: bool) -> None:
    inputs = {"capacityGib": "9000", "perUnitStorageThroughput": "1000", "location": location}
    (line,) = bill(("lustre", LUSTRE, inputs)).parts
    assert line.elsewhere is elsewhere


def test_lustre_of_the_slowest_tier_has_a_price() -> None:
    inputs = {"capacityGib": "72000", "perUnitStorageThroughput": "125"}
    (line,) = bill(("lustre", LUSTRE, inputs)).parts
    assert line.hourly is not None
    assert line.hourly.times(MONTH_HOURS).low == pytest.approx(72000 * 0.145)


@pytest.mark.parametrize(("location", "usd"), [("US-EAST4", "0.023"), ("US", "0.02 to 0.035")])
def test_a_bucket_names_what_a_gib_costs_in_its_region_and_not_how_many_there_are(
    location: str, usd: str
) -> None:
    cost = bill(("data", "gcp:storage/bucket:Bucket", {"location": location}))
    stored = part(cost, "stored")
    assert (stored.hourly, stored.amount_unknown) == (None, True)
    assert stored.what == f"each GiB stored {usd} a month; how many is not known"


@pytest.mark.parametrize(
    ("token", "what"),
    [
        ("gcp:storage/bucket:Bucket", "each 10,000 operations 0.004 to 0.05"),
        ("gcp:artifactregistry/repository:Repository", "each GB of images 0.1 a month"),
        (CLUSTER, "each GiB of logs 0.5"),
        (CLUSTER, "samples of metrics and API reads"),
        ("gcp:compute/network:Network", "traffic out of the zone or the region"),
    ],
)
def test_what_is_billed_by_use_is_named_and_not_counted(token: str, what: str) -> None:
    named = part(bill(("one", token, {})), what)
    assert (named.hourly, named.amount_unknown) == (None, True)
    assert named in bill(("one", token, {})).unknown


def test_a_hyperdisk_has_its_capacity_in_the_sum_and_its_performance_named() -> None:
    def disks(location: str) -> Part:
        return part(bill(own(location)), "100 GiB of hyperdisk-balanced")

    def own(location: str, nodes: int = 2) -> tuple[str, str, dict[str, Any]]:
        disk = {"diskType": "hyperdisk-balanced", "diskSizeGb": 100}
        return pool("a4-highgpu-8g", nodes, location, spot=True, **disk)

    there = disks("us-central1-b")
    assert there.hourly is not None
    assert there.hourly.times(MONTH_HOURS).low == pytest.approx(2 * 100 * 0.08)
    assert not there.elsewhere
    assert disks("us-east1-b").elsewhere
    performance = part(bill(own("us-central1-b")), "IOPS")
    assert performance.what == "IOPS above 3,000 and MiB/s above 140 of 2 boot disks"
    assert performance.amount_unknown
    assert not [it for it in bill(own("us-central1-b", 0)).parts if "IOPS" in it.what]


def test_a_stack_in_a_network_or_a_cluster_of_others_names_what_its_machines_cause_there() -> None:
    def named(*tokens: str) -> list[str]:
        parts = bill(*((it, it, _INPUTS.get(it, {})) for it in tokens)).parts
        return [it.what for it in parts if it.amount_unknown]

    seen = ["each GiB of logs 0.5; how many is not known", "samples of metrics and API reads"]
    traffic = "traffic out of the zone or the region"
    assert named(POOL) == [*seen, traffic]
    assert named(CLUSTER, POOL) == [*seen, traffic]
    assert sorted(named(CLUSTER, POOL, "gcp:compute/network:Network")) == [*seen, traffic]
    assert named(LUSTRE) == []


def tokens_of_components() -> set[str]:
    """Types of Google's resources that components make, in whichever config."""
    found = set[str]()
    for file in (Path(__file__).parents[2] / "components").rglob("*.py"):
        for it in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            called = ast.unparse(it.func).split(".") if isinstance(it, ast.Call) else []
            if len(called) == 3 and called[0] == "gcp":
                made = getattr(importlib.import_module(f"pulumi_gcp.{called[1]}"), called[2])
                if token := getattr(made, "pulumi_type", None):
                    found.add(str(token))
    return found


# Enough of each for its lines; of the others nothing is asked.
_INPUTS: dict[str, dict[str, Any]] = {
    LUSTRE: {"capacityGib": "9000", "perUnitStorageThroughput": "1000"},
    REDIS: {"memorySizeGb": 1},
    POOL: {"nodeCount": 1, "nodeConfig": {"machineType": "e2-standard-4"}},
}


@pytest.mark.parametrize("token", sorted(tokens_of_components()))
def test_nothing_that_a_component_makes_is_silently_free(token: str) -> None:
    lines = bill(("one", token, _INPUTS.get(token, {}))).parts
    assert bool(lines) != (token in CATALOG.prices.free)
    assert not [it for it in lines if "no table of the catalog calls free" in it.what]


def test_the_components_make_resources_of_many_types() -> None:
    assert len(tokens_of_components()) > 15
    assert CATALOG.prices.free.keys() <= tokens_of_components()


def test_a_type_that_nobody_judged_is_in_the_bill_as_unknown_and_makes_it_a_least() -> None:
    cost = bill(("zone", "gcp:dns/managedZone:ManagedZone", {}))
    (line,) = cost.unknown
    assert line.what.startswith("gcp:dns/managedZone:ManagedZone, which no table")
    assert cost.at_least


def test_a_price_has_the_day_of_its_figure_and_spot_is_told_from_the_rest() -> None:
    spot = bill(pool("g2-standard-8", 1, "us-central1-a", spot=True))
    on_demand = bill(pool("g2-standard-8", 1, "us-central1-a"))
    for cost, is_spot in ((spot, True), (on_demand, False)):
        machines, ssds = part(cost, "g2-standard-8"), part(cost, "local SSD")
        assert (machines.spot, ssds.spot) == (is_spot, is_spot)
        assert machines.date is not None
    assert not part(spot, "boot disk").spot


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
    fee = part(bill(("gke", CLUSTER, {})), "fee")
    assert fee.source.endswith(f", {fee.date}")


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


FLEX = pool("a3-ultragpu-8g", 2, "us-central1-b", flexStart=True)


def test_accelerators_without_a_price_leave_no_figure_a_month() -> None:
    cost = bill(("gke", CLUSTER, {}), FLEX)
    (lacks,) = cost.unpriced
    assert str(lacks) == "2 x a3-ultragpu-8g (16 H200)"
    assert cost.monthly is None
    assert cost.hourly == Amount(0.1, 0.1)


def test_a_pool_that_can_have_no_node_lacks_no_price() -> None:
    name, token, inputs = FLEX
    cost = bill((name, token, {**inputs, "nodeCount": 0}))
    assert (cost.unpriced, cost.monthly) == ((), Amount(0.0, 0.0))


def test_a_machine_that_nobody_knows_may_have_accelerators() -> None:
    (lacks,) = bill(pool("a9-hugegpu-8g", 3, "us-central1-b")).unpriced
    assert str(lacks) == "3 x a9-hugegpu-8g"


def test_what_pods_ask_for_on_autopilot_leaves_no_figure_a_month() -> None:
    limits = {"resources": {"limits": {"nvidia.com/gpu": "8"}}}
    group = {"replicas": 2, "template": {"spec": {"containers": [limits]}}}
    ray = ("ray", RAY, {"spec": {"workerGroupSpecs": [group]}})
    cost = bill(("gke", CLUSTER, {"enableAutopilot": True}), ray)
    assert list(map(str, cost.unpriced)) == ["16 GPUs that pods ask for on Autopilot"]
    assert cost.monthly is None


def test_machines_that_autopilot_makes_are_named_where_the_gateway_counts_none() -> None:
    cost = bill(("gke", CLUSTER, {"enableAutopilot": True}), ("nat", NAT, {}))
    assert part(cost, "for 0 machines").hourly == Amount(0.005, 0.005)
    assert part(cost, "each machine of Autopilot's").amount_unknown


def test_local_ssd_is_not_left_out_of_a_range_of_which_one_end_lacks_it() -> None:
    # Spot prices of A3 Ultra are of a book with the disks in one region, and without in others.
    own, far = (rate("a3-ultragpu-8g", Way.SPOT, it) for it in ("us-central1", "mars-north1"))
    assert own.with_local_ssd
    assert not far.with_local_ssd
    assert part(bill(pool("a3-ultragpu-8g", 1, "mars-north1-a", spot=True)), "local SSD").hourly


def test_servers_on_autopilot_leave_no_figure_a_month_either() -> None:
    limits = {"resources": {"limits": {"nvidia.com/gpu": "2"}}}
    spec = {"replicas": 1, "template": {"spec": {"containers": [limits]}}}
    server = ("chat", "kubernetes:apps/v1:Deployment", {"spec": spec})
    cost = bill(("gke", CLUSTER, {"enableAutopilot": True}), server)
    assert list(map(str, cost.unpriced)) == ["2 GPUs that pods ask for on Autopilot"]
    assert cost.monthly is None
    without = bill(("gke", CLUSTER, {"enableAutopilot": True}))
    assert list(map(str, without.unpriced)) == ["all that pods ask for on Autopilot"]


def test_a_machine_without_a_price_leaves_no_figure_a_month_whatever_is_in_it() -> None:
    cost = bill(pool("h4d-standard-192", 1, "us-central1-a"))
    assert list(map(str, cost.unpriced)) == ["1 x h4d-standard-192"]
    assert cost.monthly is None


@pytest.mark.parametrize(
    ("version", "channel", "fee"),
    [
        # Out of standard support since 2026-08-03.
        ("1.33", "EXTENDED", 0.6),
        ("1.36", "EXTENDED", 0.1),
        ("1.36", "REGULAR", 0.1),
        (None, "EXTENDED", 0.1),
    ],
)
def test_a_version_that_only_the_extended_channel_supports_costs_its_fee(
    version: str | None, channel: str, fee: float
) -> None:
    cluster = {"releaseChannel": {"channel": channel}, "minMasterVersion": version}
    assert bill(("gke", CLUSTER, cluster)).hourly.low == pytest.approx(fee)
