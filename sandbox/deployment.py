"""What an exported state has: its resources, their inputs, and the stack's outputs. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.plan import Inputs
from sandbox.secrets import hidden


def resources(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return state.get("resources") or []


def current(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The resources without those that a replacement left to be deleted, which have the same
    URNs."""
    return [it for it in resources(state) if not it.get("delete")]


def inputs(state: Mapping[str, Any]) -> Inputs:
    return {it["urn"]: it.get("inputs") or {} for it in resources(state)}


def with_urns(state: Mapping[str, Any], urns: Mapping[str, str]) -> dict[str, Any]:
    """The state with the URNs that its resources have in a program that gives them aliases."""

    def current_urn(value: Any) -> Any:
        if isinstance(value, str):
            urn, mark, provider_id = value.rpartition("::")
            # A reference to a provider is its URN and its id.
            return urns.get(value) or f"{urns.get(urn, urn)}{mark}{provider_id}"
        if isinstance(value, list):
            return [current_urn(it) for it in value]
        return {key: current_urn(it) for key, it in value.items()}

    resources_now = [
        {key: current_urn(it) if key in _WITH_URNS and it else it for key, it in resource.items()}
        for resource in resources(state)
    ]
    return {**state, "resources": resources_now}


_WITH_URNS = ("urn", "parent", "provider", "dependencies", "propertyDependencies", "deletedWith")
# What the engine has in the place of a value that it does not know before `up`
# (pulumi/pulumi sdk/go/common/resource/plugin/rpc.go, UnknownStringValue, v3.256.0).
_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def previewed_outputs(value: Any) -> Any:
    """A preview's outputs, None for what only `up` will tell."""
    return _known(hidden(value))


def _known(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _known(it) for key, it in value.items()}
    if isinstance(value, list):
        return [_known(it) for it in value]
    return None if value == _UNKNOWN else value


def stack_outputs(state: Mapping[str, Any]) -> dict[str, Any]:
    for resource in resources(state):
        if resource["type"] == "pulumi:pulumi:Stack":
            return hidden(resource.get("outputs") or {})
    return {}
