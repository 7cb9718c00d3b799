"""Managed Lustre: legal capacities and names, and the nearest legal ones.

Pure tests over the data as committed: they cannot show that Google still has what the data says.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from catalog import (
    Catalog,
    FactError,
    LustreTier,
    check_capacity,
    check_filesystem_name,
    check_growth,
)
from stacks.types import PeeringRange

CATALOG = Catalog.load()


def test_the_smallest_peering_range_that_a_config_takes_holds_one_instance() -> None:
    smallest = CATALOG.lustre.range_prefix_length
    ranges = TypeAdapter(PeeringRange)
    assert ranges.validate_python(f"10.10.0.0/{smallest}")
    with pytest.raises(ValidationError, match=f"nearest: 10.10.0.0/{smallest}"):
        ranges.validate_python(f"10.10.0.0/{smallest + 1}")


TIERS = CATALOG.lustre.tiers
NUMBERED = [tier for tier in TIERS if not tier.dynamic]


def test_the_scenario_s_instance_is_legal() -> None:
    check_capacity(CATALOG.lustre_tier(1000), 9000)


@pytest.mark.parametrize(
    ("tier", "gib", "nearest"),
    [
        (1000, 10_000, "9000, 18000"),
        (1000, 1, "9000"),
        (1000, 1_530_001, "1530000, 1584000"),
        (1000, 1_600_000, "1584000, 1656000"),
        (1000, 99_000_000, "10008000"),
        (500, 27_000, "18000, 36000"),
        (125, 12_240_001, "12240000"),
    ],
)
def test_a_capacity_off_its_step_names_the_nearest(tier: int, gib: int, nearest: str) -> None:
    with pytest.raises(FactError, match=re.escape(f"nearest: {nearest}") + "$"):
        check_capacity(CATALOG.lustre_tier(tier), gib)


def test_an_unknown_tier_names_the_two_nearest() -> None:
    with pytest.raises(FactError, match=r"nearest: 500, 1000$"):
        CATALOG.lustre_tier(750)


@given(st.sampled_from(TIERS), st.integers(-10, 100_000_000))
def test_the_nearest_capacities_are_legal_and_none_is_between(tier: LustreTier, gib: int) -> None:
    near = tier.nearest(gib)
    for capacity in near:
        check_capacity(tier, capacity)
    if tier.fits(gib):
        assert near == (gib,)
    elif len(near) == 2:
        assert near[0] < gib < near[1]
        assert not any(tier.fits(n) for n in range(near[0] + 1, near[1], 1000))


@pytest.mark.parametrize("tier", TIERS)
def test_the_ends_of_every_tier_are_legal(tier: LustreTier) -> None:
    check_capacity(tier, tier.minimum)
    check_capacity(tier, tier.maximum)
    if tier.threshold:
        check_capacity(tier, tier.threshold)


def test_halving_the_throughput_doubles_step_and_minimum() -> None:
    assert {tier.mbps_per_tib * tier.step for tier in NUMBERED} == {9_000_000}
    assert all(tier.minimum == tier.step for tier in TIERS)


def test_an_instance_can_grow_by_steps_up_to_the_threshold() -> None:
    tier = CATALOG.lustre_tier(1000)
    check_growth(tier, 9000, 18_000)
    check_growth(tier, 1_584_000, 1_656_000)
    with pytest.raises(FactError, match=r"nearest: 1530000$"):
        check_growth(tier, 9000, 1_584_000)
    with pytest.raises(FactError, match=r"nearest: 9000, 18000$"):
        check_growth(tier, 9000, 10_000)


def test_an_instance_cannot_shrink() -> None:
    with pytest.raises(FactError, match=r"nearest: 18000$"):
        check_growth(CATALOG.lustre_tier(1000), 18_000, 9000)


def test_a_coarse_step_without_a_threshold_is_refused() -> None:
    with pytest.raises(ValidationError, match="stand together or not at all"):
        LustreTier(mbps_per_tib=1, minimum=1, maximum=2, step=1, coarse_step=2)


@pytest.mark.parametrize("name", ["lustre", "a", "FS12", "12345678"])
def test_a_short_word_names_a_file_system(name: str) -> None:
    check_filesystem_name(name)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("lustre_fs", "lustrefs"), ("toolongname", "toolongn"), ("", "lustre"), ("-", "lustre")],
)
def test_a_wrong_file_system_name_gets_a_legal_one(name: str, nearest: str) -> None:
    with pytest.raises(FactError, match=re.escape(f"nearest: {nearest}") + "$"):
        check_filesystem_name(name)
    check_filesystem_name(nearest)
