"""What is said of what a stack costs, before a change and after it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from catalog import Catalog
from review.cost import Amount, Cost, Part
from review.hourly import cost_lines, dated, reservations, usd
from stacks.money import unpriced

DAY = date(2026, 11, 30)
MACHINES = Part("gpu", "2 x a4", Amount(60, 60), "a list", date=DAY)
RANGED = Part("cpu", "0 to 2 x e2", Amount(0, 1.5), "a list", elsewhere=True, date=DAY)
UNPRICED = Part("lustre", "9000 GiB", None, "no price known")
UNMEASURED = Part("data", "each GiB", None, "a list", amount_unknown=True)


def test_an_hour_a_month_and_the_age_of_the_prices_have_a_line_each() -> None:
    lines = list(cost_lines(Cost(), Cost((MACHINES,))))
    assert lines == ["60.00 USD an hour", "43,800 USD a month", "list prices"]
    first, *_ = cost_lines(Cost((MACHINES,)), Cost((MACHINES,)))
    assert first == "60.00 USD an hour, as before"
    first, month, *_ = cost_lines(Cost((MACHINES,)), Cost((MACHINES, RANGED)))
    assert first == "60.00 to 61.50 USD an hour; before: 60.00"
    assert month == "43,800 to 44,895 USD a month"


H200 = unpriced(
    Catalog.load().machine("a3-ultragpu-8g"),
    "a3-ultragpu-8g",
    (2, 2),
    "us-central1",
    Catalog.load(),
)
FEE = Part("gke", "cluster fee", Amount(0.4, 0.4), "a list", date=DAY)
FLEX = Part("gpu", "2 x a3-ultragpu-8g, flex-start", None, "no price known", unpriced=H200)


def test_while_an_accelerator_has_no_price_there_is_no_total_and_no_month() -> None:
    first, month, _, near, _ = cost_lines(Cost(), Cost((FEE, FLEX)))
    assert first == "at least 0.40 USD an hour, and 2 x a3-ultragpu-8g (16 H200) of unknown price"
    assert month == "no figure a month while that is unknown"
    assert near == (
        "one a3-ultragpu-8g costs 50.87 USD an hour on spot, 59.36 in calendar mode, "
        "84.81 on demand"
    )
    first, *_ = cost_lines(Cost((FEE, FLEX)), Cost((FEE,)))
    assert first == (
        "0.40 USD an hour; before: at least 0.40, and 2 x a3-ultragpu-8g (16 H200) of unknown price"
    )


@pytest.mark.parametrize(
    ("days", "spot", "said"),
    [
        (90, False, "list prices"),
        (91, False, "list prices, the oldest of 2026-09-01"),
        (90, True, "list prices; spot prices may change any day"),
        (91, True, "list prices, the oldest of 2026-09-01; spot prices may change any day"),
    ],
)
def test_a_sum_says_how_old_its_oldest_price_is_and_that_spot_prices_move(
    days: int, spot: bool, said: str
) -> None:
    oldest = date(2026, 9, 1)
    machines = replace(MACHINES, date=oldest, spot=spot)
    newer = replace(RANGED, date=oldest + timedelta(days=1))
    assert dated([newer, machines, UNMEASURED, FEE], oldest + timedelta(days=days)) == said


def test_a_price_without_a_day_is_said_to_be_of_an_unknown_one() -> None:
    said = "list prices, some of an unknown day"
    assert dated([MACHINES, replace(FEE, date=None)], DAY) == said


def test_what_is_not_in_the_sum_makes_it_no_older() -> None:
    away = replace(UNMEASURED, date=date(2024, 7, 1))
    none_yet = replace(MACHINES, hourly=Amount(0, 0), date=date(2024, 7, 1), spot=True)
    assert dated([MACHINES, away, none_yet], date(2026, 12, 1)) == "list prices"


def test_what_else_has_no_price_makes_it_a_least() -> None:
    first, month, *_ = cost_lines(Cost(), Cost((MACHINES, UNPRICED)))
    assert (first, month) == ("at least 60.00 USD an hour", "at least 43,800 USD a month")
    first, *_ = cost_lines(Cost(), Cost((MACHINES, UNMEASURED)))
    assert first == "60.00 USD an hour"


def test_what_is_paid_to_the_first_step_stands_there_where_it_is_known() -> None:
    *_, line = cost_lines(Cost(), Cost((MACHINES,)), Amount(10.8, 10.8))
    assert line == "10.80 USD for accelerators before the first step"


def test_what_is_not_known_is_named_with_why_and_never_a_zero() -> None:
    operations = replace(UNMEASURED, what="operations; how many is not known")
    assert list(reservations([MACHINES, UNPRICED, UNMEASURED, operations, RANGED])) == [
        "not in it, for no price is known: lustre (9000 GiB)",
        "not in it, for the amount is not known: data (each GiB; operations)",
        "at the prices of other regions: cpu (0 to 2 x e2)",
    ]
    assert not list(reservations([MACHINES]))


@pytest.mark.parametrize(
    ("amount", "said"),
    [(Amount(0.004, 0.004), "0.00"), (Amount(1234.5, 1234.5), "1,234.50")],
)
def test_dollars_are_said_to_the_cent(amount: Amount, said: str) -> None:
    assert usd(amount) == said
