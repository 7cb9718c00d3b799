"""A table of durations of the user's own runs, by the engine's event logs.

`pulumi up --event-log FILE` writes a JSON object a line. Its times are whole seconds
(pulumi/pulumi sdk/go/common/apitype/events.go, v3.256.0), so each operation is known to within one.
What the provider itself waits for, such as a free place among GKE's operations on a cluster, is in
it.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from aistack.errors import VerbError
from catalog.durations import OWN, WITH_IMAGES, Durations, is_awaited
from catalog.durations_table import OPERATIONS, Table
from cli.console import new_console, new_table
from cli.urns import token_of

# By what else than its type an operation's time differs, as a path of inputs.
KEYED: Mapping[str, str] = {
    "gcp:container/nodePool:NodePool": "nodeConfig.machineType",
    "gcp:lustre/instance:Instance": "perUnitStorageThroughput",
}
_BEGUN, _ENDED, _FAILED = "resourcePreEvent", "resOutputsEvent", "resOpFailedEvent"
HEAD = "# Written by `aistack calibrate`; it comes before catalog/data/durations.yaml.\n"

# Type, value of its input in KEYED or nothing, and operation.
Key = tuple[str, str, str]


@dataclass
class Runs:
    """What event logs say: for each operation that went well its seconds, and which log says so.
    `unfinished` were begun and are not said to have ended."""

    sources: dict[str, str] = field(default_factory=dict[str, str])
    operations: dict[Key, list[tuple[float, str]]] = field(default_factory=dict)
    failed: int = 0
    unfinished: int = 0

    def read(self, file: Path) -> None:
        """Raises VerbError of a file that is no log, or that has no operation in it."""
        source, begun = f"log-{len(self.sources) + 1}", dict[tuple[str, str], float]()
        for number, line in enumerate(file.read_text("utf-8", "replace").splitlines(), 1):
            try:
                self._take(json.loads(line), begun, source)
            except (ValueError, KeyError, TypeError, AttributeError):
                raise VerbError(
                    f"--event-log: {file.name}: line {number} is no event of the engine; "
                    "nearest: the file of `PULUMI_DEBUG_COMMANDS=true pulumi up --event-log FILE`"
                ) from None
        if not any(it == source for found in self.operations.values() for _, it in found):
            raise VerbError(
                f"--event-log: {file.name}: no operation in it went well; "
                "nearest: that of an `up` which made something"
            )
        self.sources[source] = f"the event log {file.name}, in whole seconds"
        self.unfinished += len(begun)

    def _take(
        self, event: Mapping[str, Any], begun: dict[tuple[str, str], float], source: str
    ) -> None:
        at = float(event["timestamp"])
        kind = next((it for it in (_BEGUN, _ENDED, _FAILED) if it in event), "")
        # An `up` plans first, and those events take no time.
        if not kind or event[kind].get("planning"):
            return
        step = event[kind]["metadata"]
        # Those of a replacement are create-replacement and delete-replaced.
        token, operation = token_of(step["urn"]), step["op"].partition("-")[0]
        # Components and providers take no time of the cloud's.
        if operation not in OPERATIONS or not token.startswith(("gcp:", "kubernetes:")):
            return
        if kind == _BEGUN:
            begun[step["urn"], operation] = at
        elif (start := begun.pop((step["urn"], operation), None)) is None:
            return
        elif kind == _FAILED:
            self.failed += 1
        else:
            inputs = (step.get("new") or step.get("old") or {}).get("inputs") or {}
            # Pulumi waits for pods' images, too, which are a step of their own here.
            with_images = token in WITH_IMAGES and operation == "create"
            if is_awaited(inputs) and not with_images:
                for value in {"", _value_of(token, inputs)}:
                    key = (token, value, operation)
                    self.operations.setdefault(key, []).append((at - start, source))


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What was seen of an operation, beside what the shipped table takes for likely."""

    type: str
    value: str
    operation: str
    count: int
    seconds: Mapping[str, float]
    seen: tuple[str, ...]
    shipped: float


def figures(runs: Runs) -> list[Figure]:
    return [_figure(*key, found) for key, found in sorted(runs.operations.items())]


def _figure(token: str, value: str, operation: str, found: list[tuple[float, str]]) -> Figure:
    took = sorted(round(seconds, 1) for seconds, _ in found)
    likely = round(statistics.median(took), 1)
    return Figure(
        type=token,
        value=value,
        operation=operation,
        count=len(found),
        seconds={"low": took[0], "likely": likely, "high": took[-1]},
        seen=tuple(sorted({source for _, source in found})),
        shipped=Durations.load().seconds(token, operation),
    )


def own_table(found: Iterable[Figure], sources: Mapping[str, str], day: date) -> str:
    """A file in the form of catalog/data/durations.yaml."""
    durations: dict[str, dict[str, Any]] = {}
    for it in found:
        entry = durations.setdefault(it.type, {})
        if it.value:
            by = entry.setdefault("by", {"input": KEYED[it.type], "of": {}})
            entry = by["of"].setdefault(it.value, {})
        entry[it.operation] = {**it.seconds, "seen": it.seen}
    table = Table.model_validate({"date": day, "sources": sources, "durations": durations})
    plain = table.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return HEAD + yaml.safe_dump({**plain, "date": day}, sort_keys=False, width=100)


def show(found: Iterable[Figure], runs: Runs, out: Path | None) -> None:
    """To a person."""
    spans = ("shortest", "likely", "longest", "shipped")
    table = new_table("type", "of", "operation", "times", *spans)
    for it in found:
        numbers = (f"{seconds:g} s" for seconds in (*it.seconds.values(), it.shipped))
        table.add_row(it.type, it.value, it.operation, str(it.count), *numbers)
    console = new_console()
    console.print(table)
    for name, what in runs.sources.items():
        console.print(f"{name}: {what}")
    left = {"failed": runs.failed, "not ended": runs.unfinished}
    if said := ", ".join(f"{count} {why}" for why, count in left.items() if count):
        console.print(f"left out: {said}")
    written = "nothing is written" if out is None else f"written to {out}"
    console.print(f"{written}; the sandbox and review take a {OWN} beside Pulumi.yaml")


def _value_of(token: str, inputs: Mapping[str, Any]) -> str:
    found: Any = inputs
    for key in KEYED[token].split(".") if token in KEYED else ():
        found = found.get(key) if isinstance(found, Mapping) else None
    return str(found) if isinstance(found, str | int) else ""
