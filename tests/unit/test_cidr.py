"""Range arithmetic, checked against Python's own over arbitrary plans."""

from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.base.cidr import (
    FULL,
    addresses_per_node,
    cut,
    next_free,
    node_addresses,
    overlaps,
    pod_addresses,
    prefix_for,
)

PRIVATE = IPv4Network("10.0.0.0/8")


@st.composite
def ranges(draw: st.DrawFn) -> str:
    prefix = draw(st.integers(min_value=9, max_value=28))
    offset = draw(st.integers(min_value=0, max_value=PRIVATE.num_addresses - 1))
    return str(IPv4Network((int(PRIVATE.network_address) + offset, prefix), strict=False))


@given(st.lists(ranges(), max_size=6), st.integers(min_value=12, max_value=28))
def test_a_free_range_is_private_and_touches_nothing(taken: list[str], prefix: int) -> None:
    found = next_free(prefix, taken)
    if found != FULL:
        block = IPv4Network(found)
        assert block.subnet_of(PRIVATE)
        assert block.prefixlen == prefix
        assert not any(block.overlaps(IPv4Network(other)) for other in taken)


def test_there_is_no_free_range_when_all_are_taken() -> None:
    assert next_free(24, ["10.0.0.0/8"]) == FULL


@given(ranges(), ranges())
def test_an_overlap_is_found_in_either_order(one: str, other: str) -> None:
    expected = IPv4Network(one).overlaps(IPv4Network(other))
    assert bool(overlaps({"a": one, "b": other})) is expected
    assert bool(overlaps({"a": other, "b": one})) is expected


@given(st.integers(min_value=8, max_value=256))
def test_a_node_gets_twice_its_pods_up_to_a_power_of_two(pods: int) -> None:
    addresses = addresses_per_node(pods)
    assert addresses & (addresses - 1) == 0
    assert 2 * pods <= addresses < 4 * pods


def test_the_default_of_110_pods_takes_256_addresses() -> None:
    assert addresses_per_node(110) == 256
    assert pod_addresses([(8, 110), (2, 32)]) == 8 * 256 + 2 * 64


@given(st.integers(min_value=1, max_value=1 << 24))
def test_a_prefix_is_the_longest_that_has_room(addresses: int) -> None:
    prefix = prefix_for(addresses)
    assert 1 << (32 - prefix) >= addresses
    assert addresses == 1 or 1 << (31 - prefix) < addresses


def test_four_addresses_of_a_subnetwork_are_not_for_nodes() -> None:
    assert node_addresses("10.0.0.0/29") == 4
    assert node_addresses("10.0.0.0/31") == 0


@given(ranges(), st.integers(min_value=0, max_value=8), st.integers(min_value=0, max_value=64))
def test_a_block_is_cut_from_its_start_into_ranges_that_touch(
    block: str, longer: int, count: int
) -> None:
    whole = IPv4Network(block)
    prefix = min(32, whole.prefixlen + longer)
    count = min(count, 1 << (prefix - whole.prefixlen))
    parts = [IPv4Network(part) for part in cut(block, prefix, count)]
    assert len(parts) == count
    assert all(part.prefixlen == prefix and part.subnet_of(whole) for part in parts)
    starts = [int(part.network_address) for part in parts]
    size = 1 << (32 - prefix)
    assert starts == [int(whole.network_address) + index * size for index in range(count)]


@given(ranges(), st.integers(min_value=9, max_value=28), st.integers(min_value=1, max_value=300))
def test_where_a_block_is_too_small_the_nearest_block_has_room(
    block: str, prefix: int, count: int
) -> None:
    try:
        cut(block, prefix, count)
    except ValueError as error:
        nearest = str(error).rpartition("nearest: ")[2]
        assert IPv4Network(block).subnet_of(IPv4Network(nearest))
        assert len(cut(nearest, prefix, count)) == count


def test_a_block_that_is_too_small_is_named_with_what_was_wanted() -> None:
    message = '"192.168.0.0/22" has 4 ranges of /24, and 9 are needed; nearest: 192.168.0.0/20'
    with pytest.raises(ValueError, match=f"^{message}$"):
        cut("192.168.0.0/22", 24, 9)
    with pytest.raises(ValueError, match=r'"10.0.0.0/24" has 0 ranges of /20.*: 10.0.0.0/20$'):
        cut("10.0.0.0/24", 20, 1)
    with pytest.raises(ValueError, match=r"nearest: a larger block$"):
        cut("10.0.0.0/8", 1, 4)
