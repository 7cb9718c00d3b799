"""What data and machines one run of the engine takes away, agreed to or not. Pure.

Work that stops the program itself names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from catalog import Catalog
from review.change import changes_of
from review.danger import dangers_of
from review.quoted import logged
from review.step import EngineStep

_PAST = {"replace": "replaced", "delete": "deleted"}


def losses(steps: Iterable[EngineStep], catalog: Catalog) -> Iterator[str]:
    """A line for each guarded resource that goes."""
    for it in dangers_of(changes_of(steps), (), catalog):
        yield logged(f"{it.resource} is {_PAST[it.verb]} ({it.cause}): {it.radius}")
