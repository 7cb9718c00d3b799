"""CustomResourceDefinitions: what an API server needs before it serves a kind of somebody else's.

Those of the kinds that the sandbox knows stand in `definitions`, a file a kind. Not simulated:
conversion between versions: an object stays in the version in which it was applied.
"""

import copy
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kube.objects import JsonObject, dig, maps
from sandbox.kube.store import Store

KIND = "CustomResourceDefinition"
API = "apiextensions.k8s.io/v1"
_DEFINITIONS = Path(__file__).parent / "definitions"


def definition(kind: str, api_versions: Sequence[str]) -> JsonObject:
    """The definition of a kind, served in these versions (`group/version`), the first one stored;
    without its schemas, which are the same everywhere."""
    known = definition_of(kind)
    names = [each.partition("/")[2] for each in api_versions]
    versions = [{"name": name, "served": True, "storage": name == names[0]} for name in names]
    return {**known, "spec": {**known["spec"], "versions": versions}}


@cache
def definition_of(kind: str) -> JsonObject:
    """Empty for a kind that is none of these."""
    file = _DEFINITIONS / f"{kind.lower()}.yaml"
    if not file.is_file():
        return {}
    from catalog.strict_yaml import read_yaml

    return read_yaml(file)


def schema_of(api_version: str, kind: str) -> JsonObject | None:
    """The schema of a custom kind in one of its versions."""
    spec = definition_of(kind).get("spec") or {}
    group, _, version = api_version.partition("/")
    served = [each for each in maps(spec.get("versions")) if each["name"] == version]
    return served[0]["schema"]["openAPIV3Schema"] if served and spec["group"] == group else None


def fill_defaults(schema: JsonObject, value: Any) -> None:
    """Writes the defaults that a schema has into a value."""
    if isinstance(value, dict):
        for name, field in schema.get("properties", {}).items():
            if value.get(name) is None and "default" in field:
                value[name] = copy.deepcopy(field["default"])
            if name in value:
                fill_defaults(field, value[name])
    elif isinstance(value, list):
        for item in value:
            fill_defaults(schema.get("items", {}), item)


def served_versions(store: Store, group: str, kind: str) -> list[str]:
    """The versions (`group/version`) in which a defined kind is served; the first is stored."""
    for found in store.all(KIND):
        spec = found["spec"]
        if spec["group"] == group and dig(spec, "names", "kind") == kind:
            return [f"{group}/{version['name']}" for version in maps(spec["versions"])]
    return []


def drop_undefined(store: Store, groups: Iterable[str]) -> None:
    """Objects of these groups go with their definitions, as the API server deletes them."""
    for obj in store.all():
        group = obj["apiVersion"].partition("/")[0]
        if group in groups and obj["apiVersion"] not in served_versions(store, group, obj["kind"]):
            store.remove(obj)
