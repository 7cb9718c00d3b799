"""What a stack costs an hour, and has cost, at the catalog's list prices. Pure.

Nodes are counted as they are now, each for as long as it is there: nodes that are gone again are
left out, and so is what has no price that is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from aistack.status.pools import nodes_in, pool_name
from aistack.status.snapshot import Record, Snapshot
from catalog import Catalog
from kube.kinds import NODE
from kube.objects import JsonObject
from kube.reading import moment
from review.cost import Amount, Part, cost_of
from review.hourly import dated
from stacks.money import nearest
from stacks.refusal import NODE_POOL

_NOTHING = Amount(0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Spending:
    """In USD. `spent` is since `since`; `unknown` are the parts without a price, in neither,
    `unpriced` the machines with accelerators among them, `nearest` what is known of the same
    machines had in other ways, `elsewhere` those at the prices of other regions, `prices` says how
    old the prices are, and `by_bounds`
    says that nodes count from the pools' smallest to their largest size, since the pools are there,
    for the user may not see nodes."""

    since: datetime | None
    hourly: Amount
    spent: Amount
    unknown: Sequence[str]
    unpriced: Sequence[str]
    nearest: str
    elsewhere: Sequence[str]
    prices: str
    by_bounds: bool


def spending(it: Snapshot, catalog: Catalog) -> Spending:
    sees = it.sees(NODE)
    nodes = {pool.name: nodes_in(it, pool_name(pool)) for pool in it.made(NODE_POOL) if sees}
    counts = {name: len(found) for name, found in nodes.items()}
    cost = cost_of(((one.urn, one.inputs) for one in it.records), catalog, counts)
    hours = _hours(it.records, nodes, it.now)
    spent = (
        part.hourly.times(hours[part.component])
        for part in cost.parts
        if part.hourly is not None and part.component in hours
    )
    ages = [one.created for one in it.records if one.created is not None]
    return Spending(
        since=min(ages, default=None),
        hourly=cost.hourly,
        spent=sum(spent, _NOTHING),
        unknown=_named(it for it in cost.unknown if counts.get(it.component) != 0),
        unpriced=[it.what for it in cost.unpriced],
        nearest=nearest(cost.unpriced),
        elsewhere=_named(it for it in cost.parts if it.elsewhere and it.hourly),
        prices=dated(cost.parts, it.now.date()),
        by_bounds=not sees,
    )


def _named(parts: Iterable[Part]) -> list[str]:
    return [f"{it.component}: {it.what}" for it in parts]


def _hours(
    records: Sequence[Record], nodes: Mapping[str, Sequence[JsonObject]], now: datetime
) -> Mapping[str, float]:
    """For how long each is there; of a pool, its nodes on average."""

    def since(when: datetime) -> float:
        return max(0.0, (now - when).total_seconds() / 3600)

    found = {it.name: since(it.created) for it in records if it.created is not None}
    for name, own in nodes.items():
        ages = [since(moment(it["metadata"]["creationTimestamp"])) for it in own]
        found[name] = sum(ages) / len(ages) if ages else 0.0
    return found
