"""Answers of the gcp provider's functions in the shape of the installed SDK's result classes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, get_args, get_origin, get_type_hints

_SCALARS = (str, bool, int, float)


def shaped(token: str, state: Mapping[str, Any]) -> dict[str, Any]:
    """A resource's state as the function `token` gives it back.

    The keys are the result class's. Where a resource has one block, a function has a list of one
    under the name's plural; what the state lacks is empty.
    """
    return _shape(_result_class(token), state)


def _shape(kind: type, state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(hint, _pick(state, name)) for name, hint in _fields(kind)}


def _value(hint: Any, value: Any) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (list, Sequence):
        items = [] if value is None else value if isinstance(value, list | tuple) else [value]
        return [_value(inner[0], item) for item in items]
    if origin in (dict, Mapping):
        return dict(value or {})
    if inspect.isclass(hint) and isinstance(value, Mapping):
        return _shape(hint, value)
    if value is None:
        return hint() if hint in _SCALARS else None
    return hint(value) if hint in _SCALARS else value


def _pick(state: Mapping[str, Any], name: str) -> Any:
    return next((state[key] for key in (name, *_singulars(name)) if key in state), None)


def _singulars(name: str) -> Iterator[str]:
    """What a block may be called whose list is called `name`: policies, statuses, configs."""
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        if name.endswith(ending):
            yield name.removesuffix(ending) + instead


@cache
def _result_class(token: str) -> type:
    """`gcp:container/getCluster:getCluster` is get_cluster.GetClusterResult of the SDK."""
    _, place, function = token.split(":")
    module = place.partition("/")[0]
    snake = "".join(f"_{it.lower()}" if it.isupper() else it for it in function)
    # By its file: the package has the function itself under that name.
    import_module(f"pulumi_gcp.{module}")
    found = import_module(f"pulumi_gcp.{module}.{snake}")
    return getattr(found, f"{function[0].upper()}{function[1:]}Result")


@cache
def _fields(kind: type) -> tuple[tuple[str, Any], ...]:
    """Names as the provider has them, and types."""
    module = vars(inspect.getmodule(kind))
    found: list[tuple[str, Any]] = []
    for python_name, member in inspect.getmembers(kind, lambda it: isinstance(it, property)):
        hint = get_type_hints(member.fget, module)["return"]
        name = getattr(member.fget, "_pulumi_name", python_name)
        # Optional[X] is X here.
        some = [it for it in get_args(hint) if it is not type(None)]
        optional = type(None) in get_args(hint)
        found.append((name, some[0] if optional else hint))
    return tuple(found)
