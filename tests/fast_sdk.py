"""Pulumi's SDK for programs that many tests run: the same results for two thirds of the time.

Calls to a mock need no thread, an output of a resource no task, and what follows from a class alone
is found once.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pulumi import Output, Resource, _types, output
from pulumi.output import _OutputData
from pulumi.runtime import known_types, resource, rpc
from pulumi.runtime.proto import source_pb2

_OF_A_CLASS = (
    *("input_type_py_to_pulumi_names", "resource_pulumi_to_py_names"),
    *("resource_types", "unwrap_type"),
)
_MADE: list[Resource] = []


class Loop(asyncio.SelectorEventLoop):
    def run_in_executor(
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done


def install() -> None:
    # Where in a program a resource was made is for the engine alone to show.
    resource._get_stack_trace = source_pb2.StackTrace
    rpc.transfer_properties = _outputs_of
    rpc.contains_unknowns = output.contains_unknowns = _contains_unknowns
    for name in _OF_A_CLASS:
        setattr(_types, name, cache(getattr(_types, name)))


def forget() -> None:
    """What a program has made refers to itself by its outputs: nobody else looks at it any more."""
    while _MADE:
        _MADE.pop().__dict__.clear()


def _outputs_of(made: Resource, props: Mapping[str, Any], custom: bool) -> dict[str, rpc.Resolver]:
    """As pulumi/pulumi sdk/python/lib/pulumi/runtime/rpc.py `transfer_properties`, with one future
    in place of four and a task that waits for them."""
    _MADE.append(made)
    names = [it for it in props if it != "urn" and not (it == "id" and custom)]
    return {name: _output_of(made, name) for name in names}


def _contains_unknowns(value: Any) -> bool:
    """Pulumi's own makes a function for each value, which refers to itself: most of the garbage."""
    if isinstance(value, dict):
        # An output type may have a property of the name `values`.
        return any(_contains_unknowns(value[it]) for it in value)
    if isinstance(value, list):
        return any(map(_contains_unknowns, value))
    return known_types.is_unknown(value)


def _output_of(made: Resource, name: str) -> rpc.Resolver:
    data: asyncio.Future[_OutputData[Any]] = asyncio.Future()
    its: Output[Any] = Output.__new__(Output)
    its._data = data
    its._track()
    made.__dict__[name] = its

    def resolve(
        value: Any,
        is_known: bool,
        is_secret: bool,
        deps: set[Resource] | None,
        failed: Exception | None,
    ) -> None:
        if failed is not None:
            data.set_exception(failed)
        else:
            data.set_result(_OutputData({*(deps or ()), made}, value, is_known, is_secret))

    return resolve
