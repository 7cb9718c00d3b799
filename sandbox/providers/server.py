"""Serves the stand-ins to the engine on loopback, from a thread of this process.

The engine attaches to them through PULUMI_DEBUG_PROVIDERS instead of starting plugins.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Any

import grpc
from google.protobuf import empty_pb2, struct_pb2
from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.provider.experimental.server import ProviderServicer
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, status_pb2

from sandbox.clock import VirtualClock
from sandbox.errors import CloudError, NotReadyError
from sandbox.providers.engine_log import EngineLog
from sandbox.providers.values import wrap_map

_DIFF = provider_pb2.DiffResponse
# A stack's state can be larger than gRPC's default of 4 MiB.
_OPTIONS = [("grpc.max_receive_message_length", 400 * 1024 * 1024)]


# pulumi/pulumi sdk/go/common/resource/plugin/rpc.go: a map with the first key is no map but an
# asset or an archive, where its value is one of these. The SDK gives back neither their hashes nor
# the archives themselves (3.272.0, PropertyValue.marshal); as plain maps they come through whole.
_MARK = "4dabf18193072939515e22adb298388d"
_FILE = f"sandbox-{_MARK}"
_FILES = ("c44067f5952c0a294b673a41bacd8c17", "0def7320c3a5731c473e5ecbe6d01bc7")


def _rename(message: Any, key: str, other: str) -> None:
    """The mark of files in all maps of a message, so that the SDK knows them, or does not."""
    for _field, value in message.ListFields():
        if isinstance(value, struct_pb2.Struct):
            for each in value.fields.values():
                _rename_in(each, key, other)


def _rename_in(value: struct_pb2.Value, key: str, other: str) -> None:
    for each in value.list_value.values:
        _rename_in(each, key, other)
    fields = value.struct_value.fields
    for each in fields.values():
        _rename_in(each, key, other)
    if key in fields and fields[key].string_value in _FILES:
        fields[other].string_value = fields[key].string_value
        del fields[key]


class _Servicer(ProviderServicer):
    """The SDK's servicer, with what the engine needs beyond it.

    It lacks Attach; its DiffConfig cannot answer; its Diff leaves out the old inputs; and it
    appends a traceback to every error, where a user must see only what the cloud would say.
    """

    def __init__(
        self, package: str, provider: rpc.Provider, clock: VirtualClock, *, compares_inputs: bool
    ) -> None:
        super().__init__([], _version(package), provider, "")
        self._clock = clock
        self._compares_inputs = compares_inputs

    async def Attach(self, request: Any, context: Any) -> empty_pb2.Empty:
        del context
        log = getattr(self._provider, "log", None)
        if isinstance(log, EngineLog):
            log.address = request.address
        return empty_pb2.Empty()

    async def Handshake(self, request: Any, context: Any) -> None:
        # Newer than the SDK's servicer; the engine does without when it is told so.
        del request
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Handshake")

    async def DiffConfig(self, request: Any, context: Any) -> Any:
        del context
        found = await self._provider.diff_config(
            rpc.DiffRequest(
                request.urn,
                request.id,
                PropertyValue.unmarshal_map(request.olds),
                PropertyValue.unmarshal_map(request.news),
                list(request.ignoreChanges),
            )
        )
        return _DIFF(
            replaces=found.replaces,
            diffs=found.diffs,
            changes=_DIFF.DIFF_SOME if found.changes else _DIFF.DIFF_NONE,
        )

    async def Check(self, request: Any, context: Any) -> Any:
        return await self._answer(super().Check, request, context)

    async def Diff(self, request: Any, context: Any) -> Any:
        # The SDK passes on the old state alone.
        if self._compares_inputs:
            request.olds.CopyFrom(request.old_inputs)
        return await self._answer(super().Diff, request, context)

    async def Create(self, request: Any, context: Any) -> Any:
        return await self._answer(super().Create, request, context)

    async def Update(self, request: Any, context: Any) -> Any:
        return await self._answer(super().Update, request, context)

    async def Delete(self, request: Any, context: Any) -> Any:
        return await self._answer(super().Delete, request, context)

    async def Read(self, request: Any, context: Any) -> Any:
        return await self._answer(super().Read, request, context)

    async def Invoke(self, request: Any, context: Any) -> Any:
        return await self._answer(super().Invoke, request, context)

    async def _answer(
        self, method: Callable[[Any, Any], Awaitable[Any]], request: Any, context: Any
    ) -> Any:
        self._clock.touch()
        _rename(request, _MARK, _FILE)
        try:
            response = await method(request, context)
            _rename(response, _FILE, _MARK)
            return response
        except Exception as error:
            # The SDK's wrapper raises text with a traceback; the cloud's own answer is its context.
            answer = error.__context__
            if isinstance(answer, NotReadyError):
                await context.abort_with_status(_initialization_failed(answer))
            if not isinstance(answer, CloudError):
                raise
            await context.abort(grpc.StatusCode.UNKNOWN, str(answer))
        finally:
            self._clock.touch()


def _version(package: str) -> str:
    """Of the SDK; a program may use one that is not installed here."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "0.0.0"


_ANSWERED = [
    name
    for name, method in vars(provider_pb2_grpc.ResourceProviderServicer).items()
    if not name.startswith("_") and getattr(_Servicer, name) is not method
]
_OF_RESOURCES = frozenset({"Check", "Diff", "Create", "Read", "Update", "Delete", "Invoke"})


class _ByConnection(provider_pb2_grpc.ResourceProviderServicer):
    """A servicer for each connection: the engine opens one for each provider resource, and
    configures each alone (pulumi/pulumi pkg/resource/deploy/providers/registry.go, loadProvider,
    and sdk/go/common/resource/plugin/plugin.go:189, v3.256.0)."""

    def __init__(self, make: Callable[[], _Servicer]) -> None:
        self._make = make
        self._made: dict[str, _Servicer] = {}
        self._configured: list[_Servicer] = []
        for name in _ANSWERED:
            setattr(self, name, self._answering(name))

    def _answering(self, name: str) -> Callable[[Any, Any], Awaitable[Any]]:
        async def answer(request: Any, context: Any) -> Any:
            return await getattr(self._of(context.peer(), name), name)(request, context)

        return answer

    def _of(self, peer: str, method: str) -> _Servicer:
        if peer not in self._made:
            # A connection that was idle for 30 minutes comes again from another port
            # (google.golang.org/grpc dialoptions.go:691, v1.71.0), and nobody configures it again.
            again = method in _OF_RESOURCES and len(self._configured) == 1
            self._made[peer] = self._configured[0] if again else self._make()
        if method == "Configure":
            self._configured.append(self._made[peer])
        return self._made[peer]


class _Status(grpc.Status):
    """A gRPC status with details."""

    def __init__(self, details: str, packed: bytes) -> None:
        self.code = grpc.StatusCode.UNKNOWN
        self.details = details
        self.trailing_metadata = (("grpc-status-details-bin", packed),)


def _initialization_failed(error: NotReadyError) -> _Status:
    """The protocol's way to say: it exists, keep it in the state, and try again next time."""
    failure = provider_pb2.ErrorResourceInitFailed(
        id=error.resource_id,
        properties=PropertyValue.marshal_map(wrap_map(error.state)),
        inputs=PropertyValue.marshal_map(wrap_map(error.inputs)),
        reasons=[error.reason],
    )
    _rename(failure, _FILE, _MARK)
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=error.reason)
    status.details.add().Pack(failure)
    return _Status(error.reason, status.SerializeToString())


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """One loop and thread a process: gRPC binds its poller to a loop, and is not made to rebind."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="providers", daemon=True).start()
    return loop


class ProviderServer:
    """Runs the stand-ins' gRPC servers while the `with` block lasts."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._loop = _event_loop()
        self._servers: list[grpc.aio.Server] = []
        self._ports: dict[str, int] = {}

    def __enter__(self) -> ProviderServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for server in self._servers:
            asyncio.run_coroutine_threadsafe(server.stop(grace=None), self._loop).result()
        asyncio.run_coroutine_threadsafe(_cancel_tasks(), self._loop).result()

    def serve(
        self,
        name: str,
        package: str,
        make: Callable[[], rpc.Provider],
        *,
        compares_inputs: bool = False,
    ) -> None:
        """Offer providers to the engine under their plugin's name, one for each that a program
        has; `package` gives the version.

        The new inputs are compared with the old ones, or with the state, as by a provider that is
        made of Terraform's.
        """

        def servicer() -> _Servicer:
            return _Servicer(package, make(), self._clock, compares_inputs=compares_inputs)

        start = asyncio.run_coroutine_threadsafe(self._start(_ByConnection(servicer)), self._loop)
        self._ports[name] = start.result()

    @property
    def address(self) -> str:
        """The value of PULUMI_DEBUG_PROVIDERS."""
        return ",".join(f"{name}:{port}" for name, port in self._ports.items())

    async def _start(self, servicer: _ByConnection) -> int:
        server = grpc.aio.server(options=_OPTIONS)
        provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        self._servers.append(server)
        return port


async def _cancel_tasks() -> None:
    """End what still runs on this loop: the clock, and operations whose engine has died."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
