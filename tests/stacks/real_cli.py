"""Commands that run the real CLI on a sandbox's stack, as a user does on a real one."""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from pulumi.automation import _server
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

from catalog.durations import Durations
from cli.project import PROJECT_FOLDER
from cli.pulumi_cli import binary
from sandbox.clock import VirtualClock
from sandbox.journal import Journal
from sandbox.providers.gcp import GcpStandIn
from sandbox.providers.kubernetes import KubernetesStandIn
from sandbox.providers.operations import Operations
from sandbox.providers.server import ProviderServer
from tests.stacks.conftest import Sandbox


class _Host(_server.LanguageServer):
    def Handshake(self, request: Any, context: Any) -> Any:
        del request, context
        return language_pb2.LanguageHandshakeResponse()


@contextmanager
def _language() -> Iterator[int]:
    """The port of a host for Python that runs no program: `pulumi import` asks for one, too."""
    server = grpc.server(ThreadPoolExecutor(max_workers=2))
    servicer = _Host(lambda: None)
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(0)


def with_providers(
    sandbox: Sandbox, command: Sequence[str], says: str | None = None, *folders: Path
) -> str:
    """What a command says that finds the CLI on its PATH, behind the folders, and the stand-ins in
    place of the plugins."""
    workspace, clusters = sandbox.workspace, sandbox.clusters
    clock = VirtualClock(math.inf)
    operations = Operations(clusters.cloud, clock, Journal(), Durations.load(), lambda: None)
    with ProviderServer(clock) as server, _language() as port:
        server.serve("gcp", "pulumi-gcp", partial(GcpStandIn, clusters, operations))
        kubernetes = partial(KubernetesStandIn, clusters, operations)
        server.serve("kubernetes", "pulumi-kubernetes", kubernetes)
        path = os.pathsep.join((*map(str, folders), str(binary().parent), os.environ["PATH"]))
        done = subprocess.run(
            command,
            input=says,
            cwd=workspace.work_dir,
            env={
                **workspace.cli_environment,
                "PULUMI_DEBUG_PROVIDERS": server.address,
                "PULUMI_DEBUG_LANGUAGES": f"python:{port}",
                "PYTHONPATH": str(PROJECT_FOLDER),
                "PATH": path,
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
