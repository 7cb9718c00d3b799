"""`pulumi import` of what a sandbox's cloud has and its state does not."""

from __future__ import annotations

import math
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from cli.errors import UserError
from cli.lines import say
from cli.pulumi_cli import binary
from sandbox.clock import VirtualClock
from sandbox.clusters import Clusters
from sandbox.journal import Journal
from sandbox.providers.operations import Operations
from sandbox.providers.server import ProviderServer
from sandbox.providers.stand_ins import serve_all
from sandbox.status import refuse_never_run
from sandbox.workspace import Workspace

# Nothing is to be agreed to twice, and the program has the code.
ALWAYS = ("--protect=false", "--generate-code=false")


class _Host(language_pb2_grpc.LanguageRuntimeServicer):
    """The CLI asks for a host of the program's language, and runs no program."""

    def Handshake(self, request: object, context: object) -> language_pb2.LanguageHandshakeResponse:
        del request, context
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: object, context: object) -> plugin_pb2.PluginInfo:
        del request, context
        return plugin_pb2.PluginInfo()


@contextmanager
def stand_ins(workspace: Workspace, clusters: Clusters) -> Iterator[dict[str, str]]:
    """The environment of a command of the CLI that finds them in place of the plugins."""
    clock = VirtualClock(math.inf)
    durations = workspace.durations()
    operations = Operations(clusters.cloud, clock, Journal(), durations, lambda: None)
    host = grpc.server(ThreadPoolExecutor(max_workers=2))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(_Host(), host)
    port = host.add_insecure_port("127.0.0.1:0")
    host.start()
    try:
        with ProviderServer(clock) as server:
            serve_all(server, clusters, operations)
            yield {
                **workspace.cli_environment,
                "PULUMI_DEBUG_PROVIDERS": server.address,
                "PULUMI_DEBUG_LANGUAGES": f"python:{port}",
            }
    finally:
        host.stop(0)


def take_on(workspace: Workspace, words: Sequence[str]) -> None:
    """Have a resource on record; `words` are what Pulumi wants to know of it. Raises UserError."""
    refuse_never_run(workspace)
    asked = ["import", *words, *ALWAYS, "--stack", workspace.stack]
    with workspace.lock():
        clusters = Clusters(workspace.cloud(), workspace.cloud_file)
        clusters.cloud.begin_run()
        clusters.settle()
        with stand_ins(workspace, clusters) as environment:
            done = subprocess.run(
                [str(binary()), *asked, "--yes", "--non-interactive"],
                text=True,
                cwd=workspace.work_dir,
                env=environment,
                capture_output=True,
                check=False,
            )
    if done.returncode:
        raise UserError(f"`pulumi {shlex.join(asked)}`: {(done.stderr or done.stdout).strip()}")
    say(f"{words[1]} is on record; nothing of it was changed")
