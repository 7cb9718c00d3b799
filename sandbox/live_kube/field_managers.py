"""Whose the fields of a live object are, by its own record of it."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import Any

from kube.objects import JsonObject, dig, maps


def without_others(
    manifest: Mapping[str, Any], live: Mapping[str, Any], paths: Collection[str], manager: str
) -> JsonObject:
    """A manifest as pulumi-kubernetes sends it (provider/pkg/await/await.go,
    handleSSAIgnoreFields): less those of the fields at `paths` that another manager has and
    `manager` has not, and the others of these as they are. A path into a list it does not find."""
    found = copy.deepcopy(dict(manifest))
    for path in paths:
        steps = path.split(".")
        managers = {one["manager"] for one in _managed(live) if _holds(one, steps)}
        *above, last = steps
        place, is_now = dig(found, *above), dig(live, *steps)
        if not isinstance(place, dict):
            continue
        if managers and manager not in managers:
            place.pop(last, None)
        elif is_now is not None:
            place[last] = copy.deepcopy(is_now)
    return found


def _managed(live: Mapping[str, Any]) -> list[JsonObject]:
    return maps(dig(live, "metadata", "managedFields"))


def _holds(managed: Mapping[str, Any], steps: list[str]) -> bool:
    return dig(managed.get("fieldsV1") or {}, *(f"f:{step}" for step in steps)) is not None
