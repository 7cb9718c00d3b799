"""A resource's inputs as the manifest that the kubernetes plugin would send, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kube.objects import normalized
from sandbox.kube.helm import release_inputs, release_manifest
from sandbox.providers.values import whole_unknowns_marked

# Properties of the SDK's resource classes that are no part of the manifest that a user sends.
NOT_MANIFEST = frozenset({"__initialApiVersion", "__fieldManager", "__defaults", "status"})
RELEASE = "kubernetes:helm.sh/v3:Release"
NOT_RELEASE = NOT_MANIFEST | {"compat", "resourceNames"}


def kind_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"]}


def manifest_of(token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The object as kubectl would send it; kind and version come from the resource type."""
    known = normalized(whole_unknowns_marked(inputs))
    if token == RELEASE:
        return release_manifest({k: v for k, v in known.items() if k not in NOT_RELEASE})
    _, group_version, kind = token.split(":")
    body = {key: value for key, value in known.items() if key not in NOT_MANIFEST}
    return {"apiVersion": group_version.removeprefix("core/"), "kind": kind, **body}


# No two objects have the same, whatever their names.
_OF_THE_SERVER = ("uid", "creationTimestamp")


def inputs_of(token: str, manifest: dict[str, Any]) -> dict[str, Any]:
    """The inputs behind an object; only a release's have another shape."""
    return release_inputs(manifest) if token == RELEASE else manifest


def without_server_fields(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state without what the server added: the provider holds inputs against inputs
    (pulumi/pulumi-kubernetes provider/pkg/provider/provider.go, Diff, 94977969)."""
    if "metadata" not in state:
        return dict(state)
    own = {key: value for key, value in state["metadata"].items() if key not in _OF_THE_SERVER}
    return {**state, "metadata": own}


def state_of(inputs: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
    """The engine's view: the inputs with what the server adds, its uid and time and the status.

    No other part of the live object: a Secret's values must stand only where the engine knows that
    they are secret, which is at the inputs' own paths.
    """
    server = live.get("metadata") or {}
    named = {key: server[key] for key in _OF_THE_SERVER if key in server}
    metadata = {"metadata": {**inputs["metadata"], **named}} if "metadata" in inputs else {}
    status = {"status": live["status"]} if "status" in live else {}
    return {**inputs, **metadata, **status}
