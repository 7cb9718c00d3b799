"""A provider whose functions answer of a simulated project, for programs that read parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import grpc
import pulumi
import pulumi_gcp as gcp
from pulumi.runtime import mocks, set_mocks

from sandbox.cloud.cloud import Cloud
from sandbox.errors import CloudError
from sandbox.providers import functions
from tests.unit.simulated_project import P, Project

REGION, ZONE = "us-east1", "us-east1-b"
DEFAULTS = {"project": P, "region": REGION, "zone": ZONE}
_Found = TypeVar("_Found")


class EngineError(grpc.RpcError):
    """A function's error, as the engine hands it on to the program."""

    def __init__(self, details: str) -> None:
        self._details = details

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNKNOWN

    def details(self) -> str:
        return self._details


def answer_of(cloud: Cloud, args: mocks.MockCallArgs, defaults: dict[str, str]) -> Any:
    """What one of the provider's functions says of the project, as a program gets it."""
    try:
        return functions.call(cloud, args.token, args.args, defaults)
    except CloudError as error:
        raise EngineError(f"invocation of {args.token} returned an error: {error}") from None


@dataclass
class Reader(mocks.Mocks):
    """Keeps what a program registers and which functions it calls. `sparse`: what is not set is
    missing in their answers, and not empty."""

    project: Project
    sparse: bool = False
    registered: list[str] = field(default_factory=list[str])
    inputs: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    called: list[str] = field(default_factory=list[str])

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.registered.append(args.typ)
        self.inputs.append(args.inputs)
        return f"{args.name}-id", args.inputs

    def call(self, args: mocks.MockCallArgs) -> Any:
        self.called.append(args.token.rpartition(":")[2])
        found = answer_of(self.project.cloud, args, DEFAULTS)
        return _without_empty(found) if self.sparse else found

    def run(self, program: Callable[[gcp.Provider], _Found]) -> _Found:
        """What the program returns, or the value of an output that it returns. It gets an explicit
        provider, and runs as in a preview."""
        set_mocks(self, project="p", stack="s", preview=True)
        found: list[Any] = []

        @pulumi.runtime.test
        def under_test() -> Any:
            made = program(gcp.Provider("google", project=P, region=REGION, zone=ZONE))
            if isinstance(made, pulumi.Output):
                return pulumi.Output.from_input(made).apply(found.append)
            return found.append(made)

        under_test()
        return found[0]


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_empty(inner) for key, inner in value.items() if inner}
    return [_without_empty(inner) for inner in value] if isinstance(value, list) else value


def values(handle: Any, *names: str) -> pulumi.Output[Any]:
    """What a part hands out."""
    return pulumi.Output.all(*(getattr(handle, name) for name in names))
