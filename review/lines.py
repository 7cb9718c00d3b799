"""A review for a terminal or a log. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from review.bill import money
from review.markdown import counted
from review.quoted import logged
from review.review import Review
from stacks.acknowledge import written


def lines_of(review: Review) -> Iterable[str]:
    """The review for a terminal: a line a stack, then what is refused."""
    yield from map(logged, _told(review))


def _told(review: Review) -> Iterator[str]:
    for one in review.stacks:
        placed = f" (stands on {one.platform})" if one.platform else ""
        dollars = f"; USD an hour: {hourly}" if (hourly := money(one)) else ""
        yield f"{one.stack:20} {one.status:8} {counted(one)}{placed}{dollars}"
        for error in one.errors:
            yield f"    {error}"
        for it in one.dangers:
            agreed = "agreed to" if it.acknowledged else "NOT agreed to"
            yield f"    {it.verb} {it.resource}: {it.cause}. {it.radius}. {agreed}"
        for it in one.spent:
            yield f"    acknowledge: this agrees to nothing any more, delete - {written(it)}"
        for it in one.stops:
            yield f"    running work stops: {it}{'. NOT agreed to' * (it in one.not_agreed)}"
        yield from (f"    take care: {line}" for line in one.warnings)
