"""What an exported state has: its resources, their inputs, and the stack's outputs. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.plan import Inputs
from sandbox.secrets import hidden


def resources(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return state.get("resources") or []


def inputs(state: Mapping[str, Any]) -> Inputs:
    return {it["urn"]: it.get("inputs") or {} for it in resources(state)}


def stack_outputs(state: Mapping[str, Any]) -> dict[str, Any]:
    for resource in resources(state):
        if resource["type"] == "pulumi:pulumi:Stack":
            return hidden(resource.get("outputs") or {})
    return {}
