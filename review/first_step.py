"""What a review says of the ways to a new stack's first step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review.sandbox_engine import Course, better, minutes, usd


def first_step_lines(courses: Sequence[Course]) -> Iterator[str]:
    """As Markdown; none where a stack has no choice."""
    if not courses:
        return
    yield ""
    yield "| pools | first step after | accelerator-minutes paid before it | USD |"
    yield "| --- | --- | --- | --- |"
    for it in courses:
        when = f"**{it.when}**" if it.chosen else it.when
        yield (
            f"| {when} | {minutes(it.seconds)} | {it.accelerator_minutes:,.0f} | {usd(it.usd)} |"
        )
    yield ""
    yield f"{better(courses)}."
