"""The Kubernetes objects of a stack before and after, as a diff of their manifests. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from review.change import Change
from review.values import SECRET

_TOKEN = "kubernetes:"
_SECRET_DATA = ("data", "stringData")


def manifest_diff(changes: Iterable[Change]) -> str:
    """A unified diff of the objects that change; empty where none does."""
    parts: list[str] = []
    for change in sorted(changes, key=lambda it: it.name):
        if not change.type.startswith(_TOKEN):
            continue
        before, after = _manifest(change.old), _manifest(change.new)
        if change.verb == "delete":
            after = []
        parts += difflib.unified_diff(
            before, after, f"before/{change.name}", f"after/{change.name}", lineterm=""
        )
    return "\n".join(parts)


def _manifest(inputs: Mapping[str, Any] | None) -> list[str]:
    if inputs is None:
        return []
    found = dict(inputs)
    if found.get("kind") == "Secret":
        for key in _SECRET_DATA:
            if key in found:
                found[key] = _hidden(found[key])
    return yaml.safe_dump(found, sort_keys=True, width=100).splitlines()


def _hidden(data: Any) -> Any:
    return dict.fromkeys(data, SECRET) if isinstance(data, Mapping) else SECRET
