"""A very small schema language for custom resources: what fields there are and what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.kube import paths
from sandbox.kube.schemas import (
    findings,
    json_type,
    service_findings,
    template_findings,
    unknown_field,
)

Finding = tuple[str, str]
_TOP_LEVEL = {"apiVersion", "kind", "metadata", "spec", "status"}


@dataclass(frozen=True)
class Fields:
    """An object with exactly these fields. A rule is the name of a JSON type, `strings` (a map of
    strings), `template`, `service`, `any`, an enumeration `a|b|c`, another Fields or a ListOf."""

    known: Mapping[str, Any]
    required: frozenset[str] = field(default_factory=frozenset[str])


@dataclass(frozen=True)
class ListOf:
    item: Any


def object_findings(manifest: Mapping[str, Any], spec_rule: Fields) -> Iterator[Finding]:
    """What the API server refuses in a custom resource: at the top, in metadata and in spec."""
    for name in manifest:
        if name not in _TOP_LEVEL:
            yield name, unknown_field(name, _TOP_LEVEL)
    # Metadata is the same in every kind, and a Namespace has little else.
    yield from findings({"apiVersion": "v1", "kind": "Namespace", "metadata": manifest["metadata"]})
    if isinstance(spec := manifest.get("spec"), dict):
        yield from check(spec_rule, spec, "spec")
    else:
        yield "spec", "required value"


def check(rule: Any, value: Any, path: str) -> Iterator[Finding]:
    if value is None:
        return
    if isinstance(rule, Fields):
        yield from _fields(rule, value, path)
    elif isinstance(rule, ListOf):
        yield from _list(rule, value, path)
    else:
        yield from _scalar(rule, value, path)


def _fields(rule: Fields, value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, Mapping):
        yield path, f"must be object, not {json_type(value)}"
        return
    for name in value:
        if name in rule.known:
            yield from check(rule.known[name], value[name], paths.join(path, name))
        else:
            yield paths.join(path, str(name)), unknown_field(str(name), rule.known)
    for name in sorted(rule.required):
        if value.get(name) is None:
            yield paths.join(path, name), "required value"


def _list(rule: ListOf, value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, list):
        yield path, f"must be array, not {json_type(value)}"
        return
    for index, item in enumerate(value):
        yield from check(rule.item, item, paths.join(path, index))


def _scalar(rule: str, value: Any, path: str) -> Iterator[Finding]:
    match rule:
        case "any":
            return
        case "template" | "service":
            if not isinstance(value, Mapping):
                yield path, f"must be object, not {json_type(value)}"
            else:
                look = template_findings if rule == "template" else service_findings
                yield from look(value, path)
        case "strings":
            yield from _strings(value, path)
        case "number" if json_type(value) == "integer":
            return
        case _ if "|" in rule:
            if value not in rule.split("|"):
                yield path, f"must be one of {rule.replace('|', ', ')}"
        case _ if json_type(value) != rule:
            yield path, f"must be {rule}, not {json_type(value)}"


def _strings(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, Mapping):
        yield path, f"must be object, not {json_type(value)}"
        return
    for name, text in value.items():
        if not isinstance(text, str):
            yield paths.join(path, str(name)), f"must be string, not {json_type(text)}"
