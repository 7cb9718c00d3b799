"""What is said of the ways to a stack's first step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sandbox.of_stacks.first_step import EARLY, LATE, Course
from stacks import machine_price

UNKNOWN = "not known"


def better(courses: Sequence[Course]) -> str:
    """Which of both ways costs less before the first step, and by how much."""
    by_way = {it.when: it for it in courses}
    early, late = by_way[EARLY], by_way[LATE]
    saved = early.accelerator_seconds - late.accelerator_seconds
    delay = late.seconds - early.seconds
    less, other = (LATE, EARLY) if saved > 0 else (EARLY, LATE)
    if not saved and not delay:
        return "early and just-in-time are the same here"
    parts = [
        f"{less} costs {_saved(early, late)} less than {other} before the first step"
        if saved
        else "both cost the same before the first step"
    ]
    if delay:
        first, then = (EARLY, LATE) if delay > 0 else (LATE, EARLY)
        parts.append(f"{first} is there {minutes(abs(delay))} before {then}")
    return "; ".join(parts)


def _saved(early: Course, late: Course) -> str:
    count = abs(early.accelerator_seconds - late.accelerator_seconds) / 60
    words = f"{count:,.0f} accelerator-minutes"
    if early.usd is None or late.usd is None:
        return words
    low, high = (abs(one - other) for one, other in zip(early.usd, late.usd, strict=True))
    return f"{usd((low, high))} USD and {words}"


def usd(between: tuple[float, float] | None) -> str:
    if between is None:
        return UNKNOWN
    return machine_price.usd(*between)


def minutes(seconds: float) -> str:
    return (
        str(timedelta(seconds=round(seconds)))[2:] + " min"
        if seconds < 3600
        else str(timedelta(seconds=round(seconds))) + " h"
    )
