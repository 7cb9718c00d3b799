"""What is said of what a stack costs, before a change and after it."""

from __future__ import annotations

import pytest

from review.cost import Amount, Cost, Part
from review.hourly import cost_lines, reservations, usd

MACHINES = Part("gpu", "2 x a4", Amount(60, 60), "a list")
RANGED = Part("cpu", "0 to 2 x e2", Amount(0, 1.5), "a list", elsewhere=True)
UNPRICED = Part("lustre", "9000 GiB", None, "no price known")
UNMEASURED = Part("data", "each GiB", None, "a list", amount_unknown=True)


def test_the_first_line_has_what_an_hour_costs_after_and_before_and_a_month() -> None:
    (line,) = cost_lines(Cost(), Cost((MACHINES,)))
    assert line.startswith("60.00 USD an hour, 0.00 before; 43,800 USD a month")
    (line,) = cost_lines(Cost((MACHINES,)), Cost((MACHINES,)))
    assert line.startswith("60.00 USD an hour, as before")
    first, *_ = cost_lines(Cost((MACHINES,)), Cost((MACHINES, RANGED)))
    assert first.startswith("60.00 to 61.50 USD an hour, 60.00 before; 43,800 to 44,895 USD")


def test_what_is_paid_to_the_first_step_stands_there_where_it_is_known() -> None:
    _, line = cost_lines(Cost(), Cost((MACHINES,)), Amount(10.8, 10.8))
    assert line == "10.80 USD for accelerators before the first step"


def test_what_is_not_known_is_named_with_why_and_never_a_zero() -> None:
    assert list(reservations([MACHINES, UNPRICED, UNMEASURED, RANGED])) == [
        "not in it, for no price is known: lustre (9000 GiB)",
        "not in it, for the amount is not known: data (each GiB)",
        "at the prices of other regions: cpu (0 to 2 x e2)",
    ]
    assert not list(reservations([MACHINES]))


@pytest.mark.parametrize(
    ("amount", "said"),
    [(Amount(0.004, 0.004), "0.00"), (Amount(1234.5, 1234.5), "1,234.50")],
)
def test_dollars_are_said_to_the_cent(amount: Amount, said: str) -> None:
    assert usd(amount) == said
