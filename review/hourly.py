"""What a stack costs an hour now and then, in lines for a person. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby

from catalog.gke_calendar import FRESH
from review.cost import HOW_MANY, Amount, Cost, Part
from stacks import clock
from stacks.money import nearest, span, total


def cost_lines(before: Cost, after: Cost, to_first_step: Amount | None = None) -> Iterator[str]:
    """`before` is of what stood, `after` of what will stand; `to_first_step` is paid for
    accelerators until then."""
    then = ""
    if before.parts:
        then = ", as before" if after.parts == before.parts else f"; before: {sum_of(before)}"
    known = after.monthly
    month = (
        "no figure a month while that is unknown"
        if known is None
        else total(usd(known, cents=False), "USD a month", at_least=after.at_least)
    )
    yield f"{sum_of(after, 'USD an hour')}{then}"
    yield month
    yield dated(after.parts, clock.now().date())
    if near := nearest(after.unpriced):
        yield near
    if to_first_step is not None:
        yield f"{usd(to_first_step)} USD for accelerators before the first step"
    yield from reservations(after.parts)


def sum_of(cost: Cost, unit: str = "") -> str:
    """An hour of all that is known, and what is not."""
    return total(usd(cost.hourly), unit, cost.unpriced, at_least=cost.at_least)


def dated(parts: Sequence[Part], today: date) -> str:
    """What list prices are worth on the day: how old the oldest is, and whether some change.

    Google's spot prices "can change up to once every day" (cloud.google.com/spot-vms/pricing in
    English, read 2026-11-26; older copies of the page say every 30 days).
    """
    counted = [it for it in parts if it.hourly is not None and it.hourly.high]
    oldest = min((it.date for it in counted if it.date is not None), default=today)
    old = f", the oldest of {oldest}" if today - oldest > FRESH else ""
    undated = ", some of an unknown day" if any(it.date is None for it in counted) else ""
    spot = "; spot prices may change any day" if any(it.spot for it in counted) else ""
    return f"list prices{old}{undated}{spot}"


def reservations(parts: Sequence[Part]) -> Iterator[str]:
    """What is not in the sum of them, and what is in it at prices of other regions."""
    unknown = [it for it in parts if it.hourly is None]
    for why, named in (
        ("not in it, for no price is known", [it for it in unknown if not it.amount_unknown]),
        ("not in it, for the amount is not known", [it for it in unknown if it.amount_unknown]),
        ("at the prices of other regions", [it for it in parts if it.elsewhere and it.hourly]),
    ):
        if named:
            yield f"{why}: {', '.join(_by_component(named))}"


def _by_component(parts: Sequence[Part]) -> Iterator[str]:
    for component, own in groupby(parts, key=lambda it: it.component):
        yield f"{component} ({'; '.join(it.what.removesuffix(HOW_MANY) for it in own)})"


def usd(amount: Amount, *, signed: bool = False, cents: bool = True) -> str:
    if cents and not signed:
        return span(amount.low, amount.high)
    form = f"{'+' if signed else ''},.{2 if cents else 0}f"
    return " to ".join(dict.fromkeys(f"{it:{form}}" for it in (amount.low, amount.high)))
