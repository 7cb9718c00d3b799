"""A program reaches its engine whatever an earlier engine of this process left behind."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import resource_pb2, resource_pb2_grpc
from pulumi.runtime.settings import Settings

from sandbox import engine_channels


class Monitor(resource_pb2_grpc.ResourceMonitorServicer):
    """Refuses so many first calls as not ready yet."""

    def __init__(self, refusals: int = 0) -> None:
        self.refusals = refusals

    def GetDeploymentInfo(self, request: object, context: Any) -> object:
        del request
        if self.refusals:
            self.refusals -= 1
            context.abort(grpc.StatusCode.UNAVAILABLE, "not ready")
        return resource_pb2.DeploymentInfo()

    def SupportsFeature(self, request: object, context: object) -> object:
        del request, context
        return resource_pb2.SupportsFeatureResponse(hasSupport=True)


@contextmanager
def listening(monitor: Monitor, port: int = 0) -> Iterator[int]:
    with ThreadPoolExecutor(1) as threads:
        server = grpc.server(threads, options=[("grpc.so_reuseport", 0)])
        resource_pb2_grpc.add_ResourceMonitorServicer_to_server(monitor, server)
        bound = server.add_insecure_port(f"127.0.0.1:{port}")
        server.start()
        yield bound
        server.stop(None).wait()


def program_of(port: int) -> Any:
    """What a program at this port calls its engine by."""
    settings: Any = Settings(project="p", stack="s", monitor=f"127.0.0.1:{port}")
    return settings.monitor


@pytest.fixture(autouse=True)
def kept_apart() -> None:
    engine_channels.keep_apart()


def test_a_port_that_an_ended_engine_had_serves_the_next_one() -> None:
    asked = resource_pb2.SupportsFeatureRequest(id="secrets")
    with listening(Monitor()) as port:
        earlier = program_of(port)
    with pytest.raises(grpc.RpcError):
        earlier.SupportsFeature(asked)
    with listening(Monitor(), port):
        assert program_of(port).SupportsFeature(asked).hasSupport


def test_the_first_call_is_tried_again_while_the_engine_is_not_ready() -> None:
    with listening(Monitor(refusals=2)) as port:
        program_of(port).GetDeploymentInfo(empty_pb2.Empty())
