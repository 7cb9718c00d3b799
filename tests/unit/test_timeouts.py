"""How long operations may take: as long as they are known to take, and no shorter than the provider
waits by itself. What the table of durations leaves out nobody holds a limit against."""

from typing import Any

import pytest

from catalog.durations import Durations
from catalog.timeouts import minutes_for, provider_wait
from cli.project import stack_names
from sandbox.cloud.kinds import KINDS
from stacks.config import validate
from tests.conftest import Recording, changed, stack_config
from tests.limits import wrong_limits
from tests.parts.samples import SAMPLES
from tests.programs import WITH_ALL_SECRETS, registered

LUSTRE = "gcp:lustre/instance:Instance"
POOL = "gcp:container/nodePool:NodePool"


def made(config: dict[str, Any]) -> Recording:
    return registered(validate(config, secrets_set=WITH_ALL_SECRETS))


@pytest.mark.parametrize("stack", stack_names())
def test_no_operation_of_a_preset_is_given_up_while_google_still_works(stack: str) -> None:
    assert wrong_limits(made(stack_config(stack))) == []


@pytest.mark.parametrize("name", SAMPLES)
def test_none_of_a_stack_of_parts_is(name: str) -> None:
    assert wrong_limits(made(SAMPLES[name])) == []


@pytest.mark.parametrize(("mbps", "gib"), [(125, 72000), (250, 36000), (500, 18000), (1000, 9000)])
def test_none_of_a_lustre_instance_of_any_tier_is(mbps: int, gib: int) -> None:
    values = {"lustre__capacity_gib": gib, "lustre__throughput_mbps_per_tib": mbps}
    assert wrong_limits(made(changed(stack_config("b200-lustre"), **values))) == []


def test_the_slow_tiers_have_more_than_the_two_hours_of_the_provider() -> None:
    """GoogleCloudPlatform/magic-modules #14878: 120 min since one in a hundred takes up to 80, and
    cluster-toolkit #5079: the slow tiers take longer than the others."""
    fast, slow = (minutes_for(LUSTRE, {"perUnitStorageThroughput": it}) for it in ("1000", "125"))
    assert (fast["create"], fast["update"]) == (120, 60)
    assert slow["create"] > 120


@pytest.mark.parametrize("nodes", [1, 40, 260])
def test_a_pool_of_many_nodes_has_the_time_that_they_take_one_after_the_other(nodes: int) -> None:
    """gke-labs/kube-agents #1286: 4 to 5 min each; the provider waits for 2 hours
    (GoogleCloudPlatform/magic-modules #18250)."""
    found = minutes_for(POOL, {"nodeCount": nodes})
    assert found["update"] >= max(120, 5 * nodes)
    assert found["create"] >= 120


def test_a_pool_that_is_made_anew_takes_as_long_as_its_nodes() -> None:
    table = Durations.load()
    nine, autoscaled = {"nodeCount": 9}, {"autoscaling": {"minNodeCount": 0, "maxNodeCount": 9}}
    assert 35 * 60 <= table.seconds(POOL, "update", nine, renews=True) <= 45 * 60
    assert table.seconds(POOL, "update", {"nodeCount": 1}, renews=True) == 240
    assert table.seconds(POOL, "update", nine) == 240
    assert table.span(POOL, "update", autoscaled, renews=True).low == 60
    three = {**nine, "upgradeSettings": {"maxSurge": 1, "maxUnavailable": 2}}
    assert table.seconds(POOL, "update", three, renews=True) == 3 * 240


def test_a_pool_of_many_nodes_may_take_longer_to_come() -> None:
    """GoogleCloudPlatform/cluster-toolkit #1426: 96 outlast the 30 min that the provider had."""
    table = Durations.load()
    assert table.span(POOL, "create", {"nodeCount": 96}).high > 30 * 60
    assert table.span(POOL, "create", {"nodeCount": 1}).high == 600


def test_what_the_provider_waits_for_is_known_of_each_type_that_takes_long() -> None:
    table = Durations.load()
    unknown = [it for it in KINDS if provider_wait(it) is None]
    assert not [it for it in unknown if table.span(it, "create").high > 60]
