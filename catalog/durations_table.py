"""The form of a table of durations: what each operation takes by resource type, and who says so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from .pool_nodes import bounds, most_nodes, rounds, wanted_nodes
from .strict_yaml import read_yaml

Operation = Literal["create", "update", "delete"]
OPERATIONS: tuple[Operation, ...] = ("create", "update", "delete")


class TableError(ValueError):
    """A table of the user's own that is wrong, with its first mistake."""


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Seconds(_Form):
    """How long an operation takes that goes well: the shortest, the likely one and the longest.

    `seen` names the sources that say so; `ours` is what of it is our estimate, and why.
    """

    low: float = Field(ge=0)
    likely: float = Field(ge=0)
    high: float = Field(ge=0)
    seen: tuple[str, ...] = ()
    ours: str = ""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.low <= self.likely <= self.high:
            raise ValueError("low, likely and high are not in this order")
        if not self.seen and not self.ours:
            raise ValueError("neither a source in `seen` nor an estimate in `ours`")
        return self

    def plus(self, other: Seconds, times: tuple[int, int, int]) -> Seconds:
        """With each of the other's so many times."""
        low, likely, high = times
        return self.model_copy(
            update={
                "low": self.low + low * other.low,
                "likely": self.likely + likely * other.likely,
                "high": self.high + high * other.high,
            }
        )


_NOTHING = Seconds(low=0, likely=0, high=0, ours="no operation")


class PerNode(_Form):
    """Of a pool: what each node after the first adds to its create, and how long each takes that an
    update makes anew."""

    create: Seconds
    renewed: Seconds

    def made(self, first: Seconds, inputs: Mapping[str, Any]) -> Seconds:
        more = max(wanted_nodes(inputs) - 1, 0)
        return first.plus(self.create, (more, more, more))

    def anew(self, inputs: Mapping[str, Any]) -> Seconds:
        """Of as many as there are, which an autoscaler may have to be few."""
        most = rounds(inputs, most_nodes(inputs))
        fewest = rounds(inputs, bounds(inputs)[0])
        return _NOTHING.plus(self.renewed, (fewest, most, most))


class Entry(_Form):
    """One resource type, and what differs for those with a certain value of an input."""

    create: Seconds | None = None
    update: Seconds | None = None
    delete: Seconds | None = None
    by: By | None = None
    per_node: PerNode | None = None

    def of(self, operation: str, inputs: Mapping[str, Any]) -> Seconds | None:
        """None where the table does not say it of this operation."""
        special = None if self.by is None else self.by.entry(inputs)
        found = None if special is None else special.of(operation, inputs)
        found = found or getattr(self, operation)
        if found is not None and operation == "create" and self.per_node is not None:
            return self.per_node.made(found, inputs)
        return found


class By(_Form):
    """Entries by an input's value; `input` is its path."""

    input: str
    of: Mapping[str, Entry]

    def entry(self, inputs: Mapping[str, Any]) -> Entry | None:
        value: Any = inputs
        for key in self.input.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return None if value is None else self.of.get(str(value))


class Table(_Form):
    """A whole table; `looked_for` is how sources were looked for where none stands."""

    source: str = ""
    date: date
    looked_for: str = ""
    sources: Mapping[str, str] = Field(default_factory=dict[str, str])
    durations: Mapping[str, Entry]

    @model_validator(mode="after")
    def _sources_are_there(self) -> Self:
        for name, _, seconds in self.figures():
            if unknown := set(seconds.seen) - self.sources.keys():
                raise ValueError(f"{name}: no source is called {', '.join(sorted(unknown))}")
        return self

    def figures(self) -> list[tuple[str, str, Seconds]]:
        """Name, operation and seconds of everything that the table says."""
        return [it for name, entry in self.durations.items() for it in _figures(name, entry)]


def _figures(name: str, entry: Entry) -> list[tuple[str, str, Seconds]]:
    own = [(name, it, found) for it in OPERATIONS if (found := getattr(entry, it)) is not None]
    others = entry.by.of.items() if entry.by else ()
    if (each := entry.per_node) is not None:
        own += [(name, "create", each.create), (name, "update", each.renewed)]
    return own + [it for value, one in others for it in _figures(f"{name} {value}", one)]


def read_table(file: Path) -> Table:
    """Raises TableError with the first mistake of the file."""
    try:
        return Table.model_validate(read_yaml(file))
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or "cannot be read"
        raise TableError(f"{file.name}: is no YAML: {problem}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the table"
        what = first["msg"].removeprefix("Value error, ")
        raise TableError(
            f"{file.name}: {where}: {what}; nearest: the form of catalog/data/durations.yaml"
        ) from None
