"""Checks and diffs a gcp resource's inputs against the real provider's schema facts.

Facts: data/gcp-resource-schema.json (property types, what is required, what replaces) and
data/gcp-enums.yaml (closed value lists).
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from catalog.strict_yaml import read_yaml
from sandbox.providers.values import UNKNOWN

DATA = Path(__file__).parent.parent / "data"
# The bridge's own escape hatch for assets; the stacks give them as plain strings.
SCALARS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


@dataclass(frozen=True)
class Failure:
    """One refused property: its path as the engine shows it, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Difference:
    """One property that differs; `kind` is add, delete or update."""

    path: str
    kind: str
    replaces: bool


class GcpSchema:
    """The schema facts of every gcp resource type that the sandbox knows."""

    def __init__(self, facts: Mapping[str, Any], enums: Mapping[str, Mapping[str, list[str]]]):
        self._resources: Mapping[str, Any] = facts["resources"]
        self._types: Mapping[str, Any] = facts["types"]
        self._enums = enums

    @staticmethod
    @cache
    def load() -> GcpSchema:
        facts = json.loads((DATA / "gcp-resource-schema.json").read_text())
        enums = read_yaml(DATA / "gcp-enums.yaml")
        return GcpSchema(facts, enums["values"])

    def knows(self, token: str) -> bool:
        return token in self._resources

    def takes(self, token: str, prop: str) -> bool:
        """Whether the resource type has an input of that name."""
        return self.knows(token) and prop in self._resources[token]["inputs"]

    def types_of(self, token: str) -> Mapping[str, Any]:
        """The type of each input, in the schema's own words."""
        return _types(self._resources[token]["inputs"])

    def fields_of(self, kind: Any) -> Mapping[str, Any]:
        """The same of the fields of an object's type; none of any other."""
        return _types(self._types.get(kind, {})) if isinstance(kind, str) else {}

    def outputs(self, token: str) -> list[str]:
        """The properties that only the cloud can fill in."""
        return list(self._resources[token]["outputs"])

    def check(self, token: str, inputs: Mapping[str, Any]) -> list[Failure]:
        """Every property that the provider would refuse, in the inputs' own order."""
        return list(self._check_object(token, self._resources[token]["inputs"], inputs, ""))

    def _check_object(
        self, owner: str, facts: Mapping[str, Any], values: Mapping[str, Any], path: str
    ) -> Iterator[Failure]:
        for name, value in values.items():
            where = f"{path}.{name}" if path else name
            if name not in facts:
                near = difflib.get_close_matches(name, facts, n=1)
                hint = f"; nearest: {near[0]}" if near else ""
                yield Failure(where, f"{where}: unknown property of {owner.split(':')[-1]}{hint}")
                continue
            yield from self._check_value(facts[name]["type"], value, where)
            allowed = self._enums.get(owner, {}).get(name)
            if allowed is not None:
                yield from _check_enum(value, allowed, where)
        for name, fact in facts.items():
            if fact.get("required") and values.get(name) is None:
                where = f"{path}.{name}" if path else name
                yield Failure(where, f"{where}: required property is missing")

    def _check_value(self, kind: Any, value: Any, path: str) -> Iterator[Failure]:
        if value is UNKNOWN or value is None:
            return
        if isinstance(kind, list):
            yield from self._check_container(kind[0], kind[1], value, path)
        elif kind in SCALARS and not _is_scalar(kind, value):
            yield _wrong_type(path, f"a {kind}", value)
        elif kind in self._types and not isinstance(value, dict):
            yield _wrong_type(path, "an object", value)
        elif kind in self._types:
            yield from self._check_object(kind, self._types[kind], value, path)

    def _check_container(
        self, container: str, inner: Any, value: Any, path: str
    ) -> Iterator[Failure]:
        if not isinstance(value, list if container == "list" else dict):
            yield _wrong_type(path, f"a {container}", value)
            return
        if isinstance(value, list):
            places = [(f"{path}[{index}]", item) for index, item in enumerate(value)]
        else:
            places = [(f"{path}.{key}", item) for key, item in value.items()]
        for where, item in places:
            yield from self._check_value(inner, item, where)

    def diff(
        self, token: str, olds: Mapping[str, Any], news: Mapping[str, Any]
    ) -> list[Difference]:
        """The properties whose change the engine would show, each with whether it replaces.

        A block's own `replaces` counts when the block comes or goes; inside a block that stays,
        each leaf decides, as in the provider. In a cascade of replacements the engine sends a whole
        property as unknown: it replaces where anything in it does.
        """
        return list(self._diff_object(self._resources[token]["inputs"], olds, news, "", False))

    def _diff_object(
        self,
        facts: Mapping[str, Any],
        olds: Mapping[str, Any],
        news: Mapping[str, Any],
        path: str,
        forced: bool,
    ) -> Iterator[Difference]:
        for name in {**olds, **news}:
            fact = facts.get(name, {"type": "string"})
            where = f"{path}.{name}" if path else name
            replaces = forced or bool(fact.get("replaces"))
            yield from self._diff_value(
                fact["type"], olds.get(name), news.get(name), where, replaces
            )

    def _diff_value(
        self, kind: Any, old: Any, new: Any, path: str, replaces: bool
    ) -> Iterator[Difference]:
        if old == new:
            return
        if new is UNKNOWN:
            kind_of_change = "add" if old is None else "update"
            yield Difference(path, kind_of_change, replaces or self._can_replace(kind))
        elif old is None or new is None:
            yield Difference(path, "add" if old is None else "delete", replaces)
        elif isinstance(kind, str) and kind in self._types and _both(dict, old, new):
            yield from self._diff_object(self._types[kind], old, new, path, False)
        elif isinstance(kind, list) and _both(dict, old, new):
            for key in {**old, **new}:
                inner = self._diff_value(
                    kind[1], old.get(key), new.get(key), f"{path}.{key}", replaces
                )
                yield from inner
        elif isinstance(kind, list) and _both(list, old, new) and len(old) == len(new):
            for index, (before, after) in enumerate(zip(old, new, strict=True)):
                yield from self._diff_value(kind[1], before, after, f"{path}[{index}]", replaces)
        else:
            yield Difference(path, "update", replaces)

    def _can_replace(self, kind: Any) -> bool:
        """Whether a value of the type holds a field whose change replaces the resource."""
        inner = kind[1] if isinstance(kind, list) else kind
        facts = self._types.get(inner, {}) if isinstance(inner, str) else {}
        return any(
            fact.get("replaces") or self._can_replace(fact["type"]) for fact in facts.values()
        )


def _types(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fact["type"] for name, fact in facts.items()}


def _both(kind: type, old: Any, new: Any) -> bool:
    return isinstance(old, kind) and isinstance(new, kind)


def _is_scalar(kind: str, value: Any) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    # The engine's own conversion: a string property takes a number, a number property a numeric
    # string.
    if kind == "string" and isinstance(value, int | float):
        return True
    return isinstance(value, SCALARS[kind])


def _wrong_type(path: str, wanted: str, value: Any) -> Failure:
    return Failure(path, f"{path}: {value!r} is a {type(value).__name__}; must be {wanted}")


def _check_enum(value: Any, allowed: list[str], path: str) -> Iterator[Failure]:
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        if item is UNKNOWN or item is None or str(item) in allowed:
            continue
        where = f"{path}[{index}]" if isinstance(value, list) else path
        near = difflib.get_close_matches(str(item), allowed, n=1)
        hint = f"; nearest: {near[0]}" if near else ""
        yield Failure(where, f'{where}: "{item}" is not one of {", ".join(allowed)}{hint}')
