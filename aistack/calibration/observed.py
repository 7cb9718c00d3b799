"""Operations of a user's own runs, and the table of durations that they make."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import yaml

from catalog.durations import WITH_IMAGES, is_awaited
from catalog.durations_table import By, Entry, Seconds, Table
from cli.urns import token_of

# By what else than its type an operation's time differs, as a path of inputs.
KEYED: Mapping[str, str] = {
    "gcp:container/nodePool:NodePool": "nodeConfig.machineType",
    "gcp:lustre/instance:Instance": "perUnitStorageThroughput",
}
OPERATIONS: Mapping[str, str] = {
    "create": "create",
    "create-replacement": "create",
    "update": "update",
    "delete": "delete",
    "delete-replaced": "delete",
}
_HEAD = "# Written by `aistack calibrate`; it comes before catalog/data/durations.yaml.\n"


@dataclass(frozen=True)
class Observed:
    """One operation that went well; `value` is that of its type's input in KEYED, if it has one.
    `at_most`: when it began is not known, so it may have been shorter."""

    token: str
    operation: str
    seconds: float
    source: str
    value: str = ""
    at_most: bool = False


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What was seen of an operation, beside what the shipped table takes for likely."""

    type: str
    value: str
    operation: str
    count: int
    seconds: Seconds
    shipped: float

    def to_json(self) -> dict[str, Any]:
        seconds = self.seconds.model_dump(include={"low", "likely", "high", "ours"})
        return {**asdict(self), "seconds": seconds}


def is_timed(urn: str) -> bool:
    """Whether a provider is asked: components and providers take no time of the cloud's."""
    return token_of(urn).startswith(("gcp:", "kubernetes:"))


def is_its_own(token: str, operation: str, inputs: Mapping[str, Any]) -> bool:
    """Whether Pulumi waits for it, and for nothing besides: with pods it waits for their images,
    which are a step of their own here."""
    with_images = token in WITH_IMAGES and operation == "create"
    return is_awaited(inputs) and not with_images


def value_of(token: str, inputs: Mapping[str, Any]) -> str:
    found: Any = inputs
    for key in KEYED[token].split(".") if token in KEYED else ():
        found = found.get(key) if isinstance(found, Mapping) else None
    return str(found) if isinstance(found, str | int) else ""


def figures(observed: Iterable[Observed], shipped: Table) -> list[Figure]:
    """One for each type, value and operation. What a log says of it comes before what a state says,
    which is only that it took no longer."""
    groups: dict[tuple[str, str, str], list[Observed]] = defaultdict(list)
    for it in observed:
        for value in {"", it.value}:
            groups[it.token, value, it.operation].append(it)
    return [_figure(*key, found, shipped) for key, found in sorted(groups.items())]


def _figure(
    token: str, value: str, operation: str, found: Sequence[Observed], shipped: Table
) -> Figure:
    known = [it for it in found if not it.at_most]
    taken = known or found
    seconds = sorted(round(it.seconds, 1) for it in taken)
    there = shipped.durations.get(token) or shipped.durations["default"]
    before = there.of(operation, {})
    assert before is not None
    low = seconds[0] if known else min(seconds[0], before.low)
    said = Seconds(
        low=low,
        likely=round(statistics.median(seconds), 1),
        high=seconds[-1],
        seen=tuple(sorted({it.source for it in taken})),
        ours="" if known else "at most: a state says when a resource was made, not when it began",
    )
    return Figure(
        type=token,
        value=value,
        operation=operation,
        count=len(taken),
        seconds=said,
        shipped=before.likely,
    )


def table_of(found: Iterable[Figure], sources: Mapping[str, str], day: date) -> Table:
    """In the form of catalog/data/durations.yaml."""
    entries: dict[str, dict[str, dict[str, Seconds]]] = defaultdict(lambda: defaultdict(dict))
    for it in found:
        entries[it.type][it.value][it.operation] = it.seconds
    return Table(
        date=day,
        sources=sources,
        durations={token: _entry(token, by) for token, by in entries.items()},
    )


def _entry(token: str, by_value: Mapping[str, Mapping[str, Seconds]]) -> Entry:
    special = {value: Entry(**it) for value, it in by_value.items() if value}  # type: ignore[arg-type]
    by = By(input=KEYED[token], of=special) if special else None
    return Entry(**by_value[""], by=by)  # type: ignore[arg-type]


def text_of(table: Table) -> str:
    """As a file."""
    plain = table.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return _HEAD + yaml.safe_dump({**plain, "date": table.date}, sort_keys=False, width=100)
