"""What a URN says, `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`, and which URNs the resources of
an exported state wait for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def token_of(urn: str) -> str:
    """The resource's own type, without its parents'."""
    return urn.split("::")[2].rpartition("$")[2]


def name_of(urn: str) -> str:
    """The resource's logical name."""
    return urn.rpartition("::")[2]


def state_dependencies(resources: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """What each resource of an exported state waits for: its dependencies, its provider, and its
    parent, which waits for dependencies of its own."""
    found: dict[str, set[str]] = {}
    for resource in resources:
        needed = set(resource.get("dependencies") or [])
        for urns in (resource.get("propertyDependencies") or {}).values():
            needed.update(urns or [])
        if provider := resource.get("provider"):
            needed.add(provider.rpartition("::")[0])
        if parent := resource.get("parent"):
            needed.add(parent)
        found.setdefault(resource["urn"], set()).update(needed - {resource["urn"]})
    return found
