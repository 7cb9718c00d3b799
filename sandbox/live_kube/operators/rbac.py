"""Where a release's account and its permissions go, and what they are called there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kube.objects import JsonObject, maps

_IN_A_NAMESPACE = frozenset({"Role", "RoleBinding", "ServiceAccount"})


def installed(
    objects: Iterable[JsonObject], namespace: str, prefix: str = "", renamed: Iterable[str] = ()
) -> list[JsonObject]:
    """The objects in a namespace, each name with a prefix; `renamed` are the names beside theirs
    that the rules of roles speak of and that have the prefix too."""
    names = frozenset(renamed)
    return [_installed(each, namespace, prefix, names) for each in objects]


def _installed(obj: JsonObject, namespace: str, prefix: str, renamed: frozenset[str]) -> JsonObject:
    metadata = {**obj["metadata"], "name": prefix + obj["metadata"]["name"]}
    found: dict[str, Any] = {**obj, "metadata": metadata}
    if obj["kind"] in _IN_A_NAMESPACE:
        metadata["namespace"] = namespace
    if "rules" in obj:
        found["rules"] = [_rule(rule, prefix, renamed) for rule in maps(obj["rules"])]
    if "roleRef" in obj:
        found["roleRef"] = {**obj["roleRef"], "name": prefix + obj["roleRef"]["name"]}
        found["subjects"] = [
            {**each, "name": prefix + each["name"], "namespace": namespace}
            for each in maps(obj["subjects"])
        ]
    return found


def _rule(rule: JsonObject, prefix: str, renamed: frozenset[str]) -> JsonObject:
    if "resourceNames" not in rule:
        return rule
    named = [prefix + name if name in renamed else name for name in rule["resourceNames"]]
    return {**rule, "resourceNames": named}
