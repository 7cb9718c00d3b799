"""How many properties each schema judges: those that are checked one by one, by a walk over it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube import schemas
from sandbox.kube.custom_resources import definition_of, schema_of
from sandbox.kube.registry import REGISTRY
from tools.refusals import SANDBOX

_REF = "#/$defs/"


def google() -> int:
    """Inputs of the resource types that the sandbox knows, and the fields of the types in them."""
    facts = json.loads((SANDBOX / "data" / "gcp-resource-schema.json").read_text(encoding="utf-8"))
    resources = sum(len(resource["inputs"]) for resource in facts["resources"].values())
    return resources + sum(map(len, facts["types"].values()))


def custom() -> int:
    """Properties of the custom kinds, in each version that is served."""
    return sum(
        len(list(_properties(schema_of(*served) or {})))
        for served in REGISTRY
        if definition_of(served[1])
    )


def kubernetes() -> int:
    """Properties of the built-in kinds, and of everything that they refer to, once."""
    kinds = [schemas.built_in(*at) for at, kind in REGISTRY.items() if not kind.custom]
    known, seen = schemas.definitions()["$defs"], set[str]()
    waiting = [name for kind in kinds for name in _referred(kind)]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(_referred(known[name]))
    parts = [*kinds, *(known[name] for name in seen)]
    return sum(len(list(_properties(part))) for part in parts)


def _properties(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        fields = schema.get("properties")
        yield from fields if isinstance(fields, Mapping) else ()
        for inner in schema.values():
            yield from _properties(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _properties(inner)


def _referred(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            yield reference.rpartition(_REF)[2]
        for inner in schema.values():
            yield from _referred(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _referred(inner)


COUNTS = {"custom": custom, "google": google, "kubernetes": kubernetes}
