"""What stacks cost, in a review's Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from review.cost import MONTH_HOURS, Cost
from review.hourly import dated, usd
from review.quoted import code, word
from review.stack_review import StackReview
from stacks import clock
from stacks.money import nearest, total

UNKNOWN = "unknown"


def money(one: StackReview) -> str:
    """An hour before and after."""
    if one.before is None and one.after is None:
        return ""
    if one.before is None or one.after is None or not one.before.parts:
        return bill(one.after or one.before or Cost())
    if not one.after.parts:
        return f"{bill(one.before)}, then nothing"
    if one.before.parts == one.after.parts:
        return f"{bill(one.after)}, as before"
    if one.before.unpriced != one.after.unpriced:
        return f"{bill(one.before)} -> {bill(one.after)}"
    delta = usd(one.after.hourly - one.before.hourly, signed=True)
    if moved := len({*one.before.unknown} ^ {*one.after.unknown}):
        delta += f", and {moved} unknown that differ{'s' if moved == 1 else ''}"
    return f"{bill(one.before)} -> {bill(one.after)} ({delta})"


def month(one: StackReview) -> str:
    """Of what will stand."""
    return "" if one.after is None else monthly(one.after)


def monthly(cost: Cost) -> str:
    return UNKNOWN if cost.monthly is None else usd(cost.monthly)


def bill(cost: Cost) -> str:
    """An hour, and how many parts are not in it."""
    others = sum(it.unpriced is None for it in cost.unknown)
    missing = f" + {others} unknown" if others else ""
    return f"{total(usd(cost.hourly), '', cost.unpriced)}{missing}"


def parts(cost: Cost) -> Iterator[str]:
    """The table of its lines, with the accelerators of an hour."""
    yield "| component | what | USD an hour | USD a month | price from |"
    yield "| --- | --- | --- | --- | --- |"
    for part in cost.parts:
        hour = UNKNOWN if part.hourly is None else usd(part.hourly)
        month = UNKNOWN if part.hourly is None else usd(part.hourly.times(MONTH_HOURS))
        yield (
            f"| {word(part.component)} | {code(part.what)} | {hour} | {month} "
            f"| {code(part.source)} |"
        )
    missing = f", and {len(cost.unknown)} parts unknown" if cost.unknown else ""
    yield (
        f"| **known together** |{missing.removeprefix(',')} "
        f"| {total(usd(cost.hourly), '', cost.unpriced)} | {monthly(cost)} | |"
    )
    worth = dated(cost.parts, clock.now().date())
    yield f"\n{worth[0].upper()}{worth[1:]}."
    if near := nearest(cost.unpriced):
        yield f"\n{near[0].upper()}{near[1:]}."
    for kind, (low, high) in sorted(cost.devices.items()):
        hours = span((low * MONTH_HOURS, high * MONTH_HOURS))
        yield f"\n{word(kind)}-hours: {span((low, high))} an hour, {hours} in {MONTH_HOURS} hours."


def span(bounds: tuple[int, int]) -> str:
    low, high = bounds
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
