"""Manifests as a release keeps them for kustomize: YAML files, and what names and patches them.

Read of a kustomization.yaml: `resources` and the `path` of `patches`, which are files beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from catalog.strict_yaml import load_documents
from cli.errors import UserError
from kube.objects import JsonObject, maps


def read_objects(file: Path) -> list[JsonObject]:
    try:
        text = file.read_text()
    except FileNotFoundError:
        raise UserError(f"{file}: there is no such file; nearest: run `make kube-tools`") from None
    return [each for each in load_documents(text) if each]


def customized(folder: Path) -> list[JsonObject]:
    """The objects that a folder's kustomization names, in its order, patched."""
    (plan,) = read_objects(folder / "kustomization.yaml")
    objects = [each for name in plan["resources"] for each in read_objects(folder / name)]
    named = [patch["path"] for patch in maps(plan.get("patches"))]
    patches = [each for name in named for each in read_objects(folder / name)]
    for patch in patches:
        objects = [merged(obj, patch) if _same(obj, patch) else obj for obj in objects]
    return objects


def merged(obj: Mapping[str, Any], patch: Mapping[str, Any]) -> JsonObject:
    """A JSON merge patch that removes nothing."""
    both = (key for key in patch if isinstance(obj.get(key), dict) and isinstance(patch[key], dict))
    return {**obj, **patch, **{key: merged(obj[key], patch[key]) for key in both}}


def _same(one: JsonObject, other: JsonObject) -> bool:
    return (one["kind"], one["metadata"]["name"]) == (other["kind"], other["metadata"]["name"])
