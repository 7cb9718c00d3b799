"""A sum that is not all known is said as such, whoever says it."""

from __future__ import annotations

import pytest

from catalog import Catalog
from stacks.money import Unpriced, nearest, total, unpriced

CATALOG = Catalog.load()


def of(machine: str, nodes: tuple[int, int], region: str = "us-central1") -> Unpriced:
    return unpriced(CATALOG.machine(machine), machine, nodes, region, CATALOG)


H200 = of("a3-ultragpu-8g", (2, 2))


def test_accelerators_without_a_price_stand_beside_what_is_known() -> None:
    said = "at least 0.40 USD an hour, and 2 x a3-ultragpu-8g (16 H200) of unknown price"
    assert total("0.40", "USD an hour", [H200]) == said
    assert total("0.40", "", [H200, of("g2-standard-8", (1, 1))]) == (
        "at least 0.40, and 2 x a3-ultragpu-8g (16 H200) and 1 x g2-standard-8 (1 L4) "
        "of unknown price"
    )


def test_a_known_sum_is_a_sum_and_one_that_lacks_something_small_is_a_least() -> None:
    assert total("0.40", "USD an hour") == "0.40 USD an hour"
    assert total("0.40", "USD an hour", at_least=True) == "at least 0.40 USD an hour"
    assert total("", "USD", [H200]) == "an unknown sum, of 2 x a3-ultragpu-8g (16 H200)"


@pytest.mark.parametrize(
    ("machine", "nodes", "what"),
    [
        ("a4-highgpu-8g", (0, 4), "0 to 4 x a4-highgpu-8g (0 to 32 B200)"),
        ("a3-megagpu-8g", (1, 1), "1 x a3-megagpu-8g (8 H100 MEGA)"),
        ("ct6e-standard-4t", (64, 64), "64 x ct6e-standard-4t (256 TPU v6e)"),
        ("g4-standard-48", (1, 1), "1 x g4-standard-48 (1 RTX PRO 6000)"),
        ("e2-standard-4", (1, 1), "1 x e2-standard-4"),
    ],
)
def test_machines_are_named_with_their_accelerators(
    machine: str, nodes: tuple[int, int], what: str
) -> None:
    assert str(of(machine, nodes)) == what


def test_a_machine_that_the_catalog_does_not_know_has_a_name_alone() -> None:
    found = unpriced(None, "a9-hugegpu-8g", (2, 2), "us-central1", CATALOG)
    assert (str(found), nearest([found])) == ("2 x a9-hugegpu-8g", "")


def test_the_price_of_the_same_machine_had_in_another_way_is_named_as_such() -> None:
    assert nearest([H200, H200]) == (
        "one a3-ultragpu-8g costs 50.87 USD an hour on spot, 59.36 in calendar mode, "
        "84.81 on demand"
    )
    assert nearest([of("a4-highgpu-8g", (1, 1))]) == (
        "one a4-highgpu-8g costs 39.63 USD an hour on spot, 64.44 by flex-start, "
        "90.22 in calendar mode"
    )
