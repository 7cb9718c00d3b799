"""Turns the engine's property values into plain Python and back.

The stand-ins tell the engine that they do not accept secrets: it then unwraps them on the way in
and marks the same properties secret on the way out, in state and display.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi.provider.experimental.property_value import Computed, PropertyValue
from pulumi.runtime.rpc import UNKNOWN as WIRE_UNKNOWN


class _Unknown:
    """A value that is known only after the resources it comes from exist (in a preview)."""

    def __repr__(self) -> str:
        return "<known after apply>"


UNKNOWN = _Unknown()


def plain(value: PropertyValue) -> Any:
    """The value without its dependencies; whole floats become ints."""
    inner = value.value
    if isinstance(inner, Computed):
        return UNKNOWN
    if isinstance(inner, Mapping):
        return {key: plain(item) for key, item in inner.items()}
    if isinstance(inner, list | tuple):
        return [plain(item) for item in inner]
    if isinstance(inner, float) and inner.is_integer():
        return int(inner)
    if isinstance(inner, pulumi.Asset | pulumi.Archive):
        return str(inner)
    return inner


def plain_map(values: Mapping[str, PropertyValue]) -> dict[str, Any]:
    return {key: plain(value) for key, value in values.items()}


def without_nulls(values: Mapping[str, PropertyValue]) -> dict[str, PropertyValue]:
    """To an API server a field that is null is absent; secrets stay such."""
    return {key: _without_nulls(it) for key, it in values.items() if it.value is not None}


def _without_nulls(value: PropertyValue) -> PropertyValue:
    inner = value.value
    if isinstance(inner, Mapping):
        return value.with_value(without_nulls(inner))
    if isinstance(inner, list | tuple):
        return value.with_value([_without_nulls(it) for it in inner])
    return value


def whole_unknowns_marked(values: Mapping[str, Any]) -> dict[str, Any]:
    """Properties of which nothing is known: the SDK hands those on as the string of the wire."""
    return {key: UNKNOWN if value == WIRE_UNKNOWN else value for key, value in values.items()}


def wrap(value: Any) -> PropertyValue:
    """A property value of plain Python; ints travel as floats, as protobuf has no other number."""
    if value is UNKNOWN:
        # The SDK reads computed values but cannot write them; on the wire they are this string.
        return PropertyValue(WIRE_UNKNOWN)
    if isinstance(value, PropertyValue):
        return value
    if isinstance(value, Mapping):
        return PropertyValue({key: wrap(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return PropertyValue([wrap(item) for item in value])
    if isinstance(value, int) and not isinstance(value, bool):
        return PropertyValue(float(value))
    return PropertyValue(value)


def wrap_map(values: Mapping[str, Any]) -> dict[str, PropertyValue]:
    return {key: wrap(value) for key, value in values.items()}


def has_unknown(value: Any) -> bool:
    if value is UNKNOWN:
        return True
    if isinstance(value, Mapping):
        return any(has_unknown(item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(has_unknown(item) for item in value)
    return False
