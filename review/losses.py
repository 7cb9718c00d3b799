"""What one run of the engine takes away that is hard to get back, agreed to or not. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from catalog import Catalog
from review.change import changes_of
from review.danger import dangers_of
from review.quoted import logged
from review.running import stops_of
from review.step import EngineStep

_PAST = {"replace": "replaced", "delete": "deleted"}


def losses(steps: Iterable[EngineStep], catalog: Catalog) -> Iterator[str]:
    """A line for each guarded resource that goes, and for each workload that stops."""
    known = list(steps)
    before = [{"urn": it.urn, "type": it.type, "inputs": it.old} for it in known if it.old]
    changes = changes_of(known)
    for it in dangers_of(changes, (), catalog):
        yield logged(f"{it.resource} is {_PAST[it.verb]} ({it.cause}): {it.radius}")
    for stop in stops_of(changes, before):
        yield logged(f"running work stops: {stop} is {_PAST[stop.verb]}")
