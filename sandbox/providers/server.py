"""Serves the stand-ins to the engine on loopback, from a thread of this process.

The engine attaches to them through PULUMI_DEBUG_PROVIDERS instead of starting plugins.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import cache
from importlib.metadata import version
from types import TracebackType
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.provider.experimental.server import ProviderServicer
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, status_pb2

from sandbox.clock import VirtualClock
from sandbox.errors import CloudError, NotReadyError
from sandbox.providers.values import wrap_map

_DIFF = provider_pb2.DiffResponse
# A stack's state can be larger than gRPC's default of 4 MiB.
_OPTIONS = [("grpc.max_receive_message_length", 400 * 1024 * 1024)]


class _Servicer(ProviderServicer):
    """The SDK's servicer, with what the engine needs beyond it.

    It lacks Attach; its DiffConfig cannot answer; its Diff leaves out the old inputs; and it
    appends a traceback to every error, where a user must see only what the cloud would say.
    """

    def __init__(
        self, package: str, provider: rpc.Provider, clock: VirtualClock, *, compares_inputs: bool
    ) -> None:
        super().__init__([], version(package), provider, "")
        self._clock = clock
        self._compares_inputs = compares_inputs

    async def Attach(self, request: Any, context: Any) -> empty_pb2.Empty:
        del request, context
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
        try:
            return await method(request, context)
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
        self, name: str, package: str, provider: rpc.Provider, *, compares_inputs: bool = False
    ) -> None:
        """Offer a provider to the engine under its plugin's name; `package` gives the version.

        The new inputs are compared with the old ones, or with the state, as by a provider that is
        made of Terraform's.
        """
        servicer = _Servicer(package, provider, self._clock, compares_inputs=compares_inputs)
        start = asyncio.run_coroutine_threadsafe(self._start(servicer), self._loop)
        self._ports[name] = start.result()

    @property
    def address(self) -> str:
        """The value of PULUMI_DEBUG_PROVIDERS."""
        return ",".join(f"{name}:{port}" for name, port in self._ports.items())

    async def _start(self, servicer: _Servicer) -> int:
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
