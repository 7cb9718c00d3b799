"""What the engine has on record of this very stack, as its last run left it.

It is read while the program runs, before the first resource, in a preview and in `up`. Unlike the
stack's outputs it has every resource as soon as that is made, so a run that failed left one, too.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pulumi
from google.protobuf.json_format import MessageToDict
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import get_monitor

from components.base.tokens import current

# pulumi/pulumi pkg/resource/deploy/builtins.go, v3.256.0. A resource that only waits for its delete
# is left out there.
FUNCTION = "pulumi:pulumi:readStackResourceOutputs"
# pulumi/pulumi sdk/go/common/resource/plugin/rpc.go: how secrets, assets and references to
# resources are marked on the wire.
_MARK = "4dabf18193072939515e22adb298388d"


@dataclass(frozen=True)
class Recorded:
    """A resource as it was last seen; what is a secret in `outputs` is left out. `urn` is as the
    state has it, `type` as this release writes it."""

    urn: str
    type: str
    name: str
    outputs: Mapping[str, Any] = field(repr=False)

    @property
    def registered_urn(self) -> str:
        """The URN that this program registers it under, which `pulumi up` takes as a target."""
        return current(self.urn)


class Record:
    """The resources of the last run; none before the first `up`, and none where it is `hidden`.
    Those that are `standing` are never hidden: what they have for life the program leaves them."""

    def __init__(
        self,
        resources: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        hidden: bool = False,
    ) -> None:
        self.hidden = hidden
        found = resources or {}
        self.standing = tuple(
            Recorded(
                urn, current(it["type"]), urn.rpartition("::")[2], _plain(it.get("outputs") or {})
            )
            for urn, it in found.items()
        )
        self.resources: tuple[Recorded, ...] = () if hidden else self.standing
        self._by_key = {(it.type, it.name): it for it in self.resources}

    def of_type(self, token: str) -> list[Recorded]:
        return [it for it in self.resources if it.type == token]

    def get(self, token: str, name: str) -> Recorded | None:
        return self._by_key.get((token, name))


_hidden = False


@contextmanager
def hidden() -> Iterator[None]:
    """Programs of this process find no record: a review says itself what one would refuse, and
    shows what it would do."""
    global _hidden
    _hidden = True
    try:
        yield
    finally:
        _hidden = False


def read() -> Record:
    """Asks the engine, which notes nothing for it but its own provider of type
    `pulumi:providers:pulumi`."""
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    request = resource_pb2.ResourceInvokeRequest(
        tok=FUNCTION,
        # The SDK's own call would ask the engine for each resource that an output names, and none
        # of them is registered yet.
        acceptResources=False,
    )
    request.args.update({"stackName": stack})
    monitor = get_monitor()
    assert monitor is not None
    answer = monitor.Invoke(request)
    found = MessageToDict(getattr(answer, "return"))
    return Record(found.get("outputs"), hidden=_hidden)


def _plain(value: Any) -> Any:
    """Without what is marked, and whole numbers as such: the wire has no others than floats."""
    if isinstance(value, Mapping):
        return {key: _plain(it) for key, it in value.items() if not _is_marked(it)}
    if isinstance(value, list):
        return [_plain(it) for it in value if not _is_marked(it)]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_marked(value: Any) -> bool:
    return isinstance(value, Mapping) and _MARK in value
