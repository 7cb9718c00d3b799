"""What pulumi-kubernetes fills in of an object that has no name (pulumi/pulumi-kubernetes
provider/pkg/metadata/naming.go and provider/pkg/provider/helm_release.go, 94977969)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi.provider.experimental.property_value import PropertyValue

from cli.urns import name_of, token_of
from kube.objects import dig
from sandbox.providers.bridge import random_digits
from sandbox.providers.manifests import RELEASE
from sandbox.providers.values import plain_map

AUTONAMED = "pulumi.com/autonamed"
Inputs = dict[str, PropertyValue]


def is_autonamed(manifest: Mapping[str, Any]) -> bool:
    return dig(manifest, "metadata", "annotations", AUTONAMED) == "true"


def with_name(urn: str, olds: Mapping[str, PropertyValue], inputs: Inputs, seed: bytes) -> Inputs:
    """With the name that the plugin gave it before, or a new one: the logical name, a dash and
    eight hexadecimal digits."""
    new, before = f"{name_of(urn)}-{random_digits(seed, 8)}", plain_map(olds)
    if token_of(urn) == RELEASE:
        return {**inputs, "name": PropertyValue(str(before.get("name") or new))}
    name = str(before["metadata"]["name"]) if is_autonamed(before) else new
    metadata = _map(inputs.get("metadata"))
    annotations = {**_map(metadata.get("annotations")), AUTONAMED: PropertyValue("true")}
    named = {
        **metadata,
        "name": PropertyValue(name),
        "annotations": PropertyValue(annotations),
    }
    return {**inputs, "metadata": PropertyValue(named)}


def _map(value: PropertyValue | None) -> Mapping[str, PropertyValue]:
    return value.value if value is not None and isinstance(value.value, Mapping) else {}
