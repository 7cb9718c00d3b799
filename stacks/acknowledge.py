"""Destructive changes that a stack's config agrees to. No Pulumi import."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from stacks.problems import Problem
from stacks.property_paths import dotted
from stacks.types import Block

ResourceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]*$", max_length=200)]
PropertyPath = Annotated[str, Field(pattern=r"^[A-Za-z][\w.\[\]\"*/-]*$", max_length=200)]
# What a resource, or a property, becomes that the program no longer has.
REMOVED = "removed"
_PLAIN = re.compile(r"[A-Za-z][\w.-]*( [\w.-]+)*")
_WORDS_OF_YAML = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


class Acknowledge(Block, frozen=True):
    """A destructive change that is agreed to, once."""

    resource: ResourceName
    """The resource, by the name that a preview shows."""
    property: PropertyPath | None = None
    """The property that causes its replacement; by default the whole resource."""
    to: bool | int | float | str | None = None
    """The property's new value, `removed`, or the words of a refusal."""


def entry(resource: str, path: str | None, to: Any = None) -> str:
    """An entry of `acknowledge` as it stands in the config's YAML, in one line."""
    fields = {"resource": resource, "property": path, "to": to}
    shown = (f"{key}: {in_yaml(value)}" for key, value in fields.items() if value is not None)
    return f"{{{', '.join(shown)}}}"


def written(one: Acknowledge) -> str:
    """The entry as it stands in the config's YAML."""
    return entry(one.resource, one.property, one.to)


def repeated_entries(entries: Sequence[Acknowledge]) -> Iterator[Problem]:
    """Two entries for one property would let an old agreement stand behind a new one."""
    first: dict[tuple[str, str | None], int] = {}
    for place, one in enumerate(entries):
        path = None if one.property is None else dotted(one.property)
        earlier = first.setdefault((one.resource, path), place)
        if earlier != place:
            what = "" if one.property is None else f"{one.property} of "
            yield Problem(
                f"acknowledge[{place}]",
                f"{what}{one.resource} stands in acknowledge[{earlier}], too; nearest: one of them",
            )


def yaml_block(entries: Iterable[str]) -> str:
    """The entries as the lines to paste below the stack's key."""
    return "\n".join(["acknowledge:", *(f"  - {one}" for one in dict.fromkeys(entries))])


def in_yaml(value: Any) -> str:
    """A value as it stands in the config's YAML, in one line."""
    if isinstance(value, str) and value.isdecimal():
        # Providers have whole numbers of 64 bits as text.
        return value
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS_OF_YAML:
        return value
    return json.dumps(value)
