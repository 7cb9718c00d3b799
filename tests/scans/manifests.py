"""What a stack gives its cluster, as files that scanners of Kubernetes manifests read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from kube.objects import JsonObject
from stacks.config import validate
from tests.conftest import ROOT, Recording, stack_config
from tests.programs import WITH_TOKEN, registered

# API groups in whose kinds scanners look for pods themselves.
_OF_KUBERNETES = ("v1", "apps", "batch")


def write_manifests(folder: Path, stack: str) -> None:
    """Objects of the preset, each in a file of its own, and the pods of its custom resources: no
    scanner knows where those stand in a RayCluster or a JobSet. Charts are their publishers'."""
    made = registered(validate(stack_config(stack), secrets_set=WITH_TOKEN), folder=ROOT)
    folder.mkdir(parents=True)
    for name, obj in _objects(made):
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(obj))


def _objects(made: Recording) -> Iterator[tuple[str, JsonObject]]:
    for it in made.resources:
        if not it.custom or not it.type.startswith("kubernetes:") or "kind" not in it.inputs:
            continue
        yield it.name, it.inputs
        group = it.inputs["apiVersion"].partition("/")[0]
        if group not in _OF_KUBERNETES:
            for place, template in _templates(it.inputs.get("spec")):
                yield f"{it.name}-pod-{place}", _pod(it.inputs, place, template)


def _templates(value: Any, *keys: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Templates of pods, each with the keys that lead to it."""
    if isinstance(value, dict) and "containers" in (value.get("spec") or {}):
        yield "-".join(keys), value
        return
    inner = enumerate(value) if isinstance(value, list) else ()
    for key, each in value.items() if isinstance(value, dict) else inner:
        yield from _templates(each, *keys, str(key).lower())


def _pod(owner: JsonObject, place: str, template: Mapping[str, Any]) -> JsonObject:
    metadata = {
        **(template.get("metadata") or {}),
        "name": f"{owner['kind'].lower()}-{owner['metadata']['name']}-{place}",
        "namespace": owner["metadata"].get("namespace", "default"),
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
