"""Adopts the creates that a killed `up` left pending.

The engine notes each operation before it starts. A create that it never saw the end of has no id,
and a
plain `up` would make the resource again and meet ALREADY_EXISTS. Here each pending create becomes a
resource with the id that it must have; a refresh of just these then asks the provider, which fills
in the outputs of those that exist and takes out those that do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recovery.ids import resource_id

Deployment = dict[str, Any]


@dataclass(frozen=True)
class Adoption:
    """A deployment without pending operations; `orphans` are creates whose id cannot be derived."""

    deployment: Deployment
    adopted: tuple[str, ...]
    orphans: tuple[str, ...]


def adopt_pending(deployment: Deployment) -> Adoption:
    """Turn pending creates into resources with their derived ids; drop every pending operation.

    `deployment` is the `deployment` object of `pulumi stack export`. Pending updates and deletes
    need nothing: their resources are still in the state, and a refresh sees what became of them.
    """
    resources = list(deployment.get("resources") or [])
    known = {resource["urn"] for resource in resources if not resource.get("delete")}
    defaults = _provider_defaults(resources)
    adopted: list[str] = []
    orphans: list[str] = []
    for operation in deployment.get("pending_operations") or []:
        resource = operation["resource"]
        if operation["type"] != "creating" or resource["urn"] in known:
            continue
        inputs = {**defaults, **resource.get("inputs", {})}
        found = resource_id(resource["type"], inputs)
        if found is None:
            orphans.append(resource["urn"])
            continue
        resources.append({**resource, "id": found, "outputs": resource.get("inputs", {})})
        adopted.append(resource["urn"])
    rest = {key: value for key, value in deployment.items() if key != "pending_operations"}
    return Adoption({**rest, "resources": resources}, tuple(adopted), tuple(orphans))


def _provider_defaults(resources: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Project and region of the stack's own gcp provider, for resources that leave them to it."""
    for resource in resources:
        if resource["type"] == "pulumi:providers:gcp":
            inputs = resource.get("inputs", {})
            return {key: inputs[key] for key in ("project", "region") if key in inputs}
    return {}
