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
from stacks.refusal import CLUSTER, NODE_POOL

_PAST = {"replace": "replaced", "delete": "deleted"}


def losses(steps: Iterable[EngineStep], catalog: Catalog) -> Iterator[str]:
    """A line for each guarded resource that goes, and for each other pool: its nodes are had again,
    and what ran on them stops."""
    changes = changes_of(steps)
    dangers = dangers_of(changes, catalog)
    for it in dangers:
        yield logged(f"{it.resource} is {_PAST[it.verb]} ({it.cause}): {it.radius}")
    told = {it.resource for it in dangers}
    if any(it.destructive and it.type == CLUSTER for it in changes):
        return
    for change in changes:
        if change.destructive and change.type == NODE_POOL and change.name not in told:
            cause = "; ".join(map(str, change.causes))
            yield logged(
                f"{change.name} is {_PAST[change.verb]} ({cause}): its nodes and their pods"
            )
