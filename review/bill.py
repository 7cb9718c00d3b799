"""What stacks cost, in a review's Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from review.cost import MONTH_HOURS, Cost
from review.hourly import usd
from review.quoted import code, word
from review.stack_review import StackReview


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
    delta = usd(one.after.hourly - one.before.hourly, signed=True)
    if moved := len({*one.before.unknown} ^ {*one.after.unknown}):
        delta += f", and {moved} unknown that differ{'s' if moved == 1 else ''}"
    return f"{bill(one.before)} -> {bill(one.after)} ({delta})"


def month(one: StackReview) -> str:
    """Of what will stand."""
    return "" if one.after is None else usd(one.after.monthly)


def bill(cost: Cost) -> str:
    """An hour, and how many parts are not in it."""
    missing = f" + {len(cost.unknown)} unknown" if cost.unknown else ""
    return f"{usd(cost.hourly)}{missing}"


def parts(cost: Cost) -> Iterator[str]:
    """The table of its lines, with the accelerators of an hour."""
    yield "| component | what | USD an hour | USD a month | price from |"
    yield "| --- | --- | --- | --- | --- |"
    for part in cost.parts:
        hour = "unknown" if part.hourly is None else usd(part.hourly)
        month = "unknown" if part.hourly is None else usd(part.hourly.times(MONTH_HOURS))
        yield (
            f"| {word(part.component)} | {code(part.what)} | {hour} | {month} "
            f"| {code(part.source)} |"
        )
    missing = f", and {len(cost.unknown)} parts unknown" if cost.unknown else ""
    yield (
        f"| **known together** |{missing.removeprefix(',')} | {usd(cost.hourly)} "
        f"| {usd(cost.monthly)} | |"
    )
    for kind, (low, high) in sorted(cost.devices.items()):
        hours = span((low * MONTH_HOURS, high * MONTH_HOURS))
        yield f"\n{word(kind)}-hours: {span((low, high))} an hour, {hours} in {MONTH_HOURS} hours."


def span(bounds: tuple[int, int]) -> str:
    low, high = bounds
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
