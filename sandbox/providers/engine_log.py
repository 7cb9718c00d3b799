"""How a stand-in says something through the engine, on the line of its resource."""

from __future__ import annotations

from typing import Any

import grpc
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc


class EngineLog:
    """Of one connection; says nothing before the engine has told its address."""

    def __init__(self) -> None:
        self.address = ""

    async def warn(self, urn: str, message: str) -> None:
        if not self.address:
            return
        async with grpc.aio.insecure_channel(self.address) as channel:
            # Its types are those of a channel that waits.
            engine: Any = engine_pb2_grpc.EngineStub(channel)
            await engine.Log(
                engine_pb2.LogRequest(
                    severity=engine_pb2.LogSeverity.WARNING, urn=urn, message=message
                )
            )
