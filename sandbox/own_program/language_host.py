"""A language host for Python, for machines without Pulumi's own: what running a program takes.

The engine starts it as it starts `pulumi-language-python`, so that the program has the folder, the
environment and the HOME of whoever runs `pulumi`. It is a file for itself, which imports nothing of
this project. Protocol: pulumi/pulumi proto/pulumi/language.proto, v3.256.0.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

_RUNNER = Path(__file__).with_name("run_program.py")
# As `run_program` has it.
_TOLD = 32


class Host(language_pb2_grpc.LanguageRuntimeServicer):
    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._programs: set[subprocess.Popen[bytes]] = set()

    def Handshake(self, request: Any, context: Any) -> language_pb2.LanguageHandshakeResponse:
        del request, context
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: Any) -> plugin_pb2.PluginInfo:
        del request, context
        return plugin_pb2.PluginInfo()

    def About(self, request: Any, context: Any) -> language_pb2.AboutResponse:
        del context
        python = python_of(request.info)
        return language_pb2.AboutResponse(executable=python, version=sys.version.split()[0])

    def GetRequiredPackages(
        self, request: Any, context: Any
    ) -> language_pb2.GetRequiredPackagesResponse:
        """Of none the engine looks for a plugin before the program asks for one."""
        del request, context
        return language_pb2.GetRequiredPackagesResponse()

    def Run(self, request: Any, context: Any) -> language_pb2.RunResponse:
        options = {
            "monitor": request.monitor_address,
            "engine": self._engine,
            "project": request.project,
            "stack": request.stack,
            "organization": request.organization,
            "root_directory": request.info.root_directory,
            "pwd": request.pwd,
            "parallel": str(request.parallel),
            "dry_run": "true" if request.dryRun else "false",
        }
        words = [word for name, it in options.items() if it for word in (f"--{name}", it)]
        python = python_of(request.info)
        program = subprocess.Popen(
            [python, "-u", str(_RUNNER), *words, request.info.entry_point or ".", *request.args],
            cwd=request.pwd,
            env={
                **os.environ,
                "PULUMI_CONFIG": json.dumps(dict(request.config)),
                "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
                **_of_environment(python),
            },
        )
        self._programs.add(program)
        context.add_callback(program.kill)
        code = program.wait()
        self._programs.discard(program)
        if code == _TOLD:
            return language_pb2.RunResponse(bail=True)
        error = f"Program exited with non-zero exit code: {code}" if code else ""
        return language_pb2.RunResponse(error=error)

    def end(self) -> None:
        for program in list(self._programs):
            program.kill()


def python_of(info: Any) -> str:
    """The Python that the program is to have: of the virtual environment that the project's runtime
    options name, else of a .venv beside it, else this one."""
    named = info.options.fields["virtualenv"].string_value
    places = [Path(info.root_directory, named)] if named else []
    places += [Path(it, ".venv") for it in (info.program_directory, info.root_directory)]
    for place in places:
        if (python := place / "bin" / "python").exists():
            return str(python)
    return sys.executable


def _of_environment(python: str) -> dict[str, str]:
    """As its activation would have it."""
    folder = Path(python).parent
    if not (folder.parent / "pyvenv.cfg").exists():
        return {}
    path = os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)])
    return {"VIRTUAL_ENV": str(folder.parent), "PATH": path}


def main() -> None:
    """Serve until the engine, which is told the port, ends this process or goes."""
    host = Host(sys.argv[-1])
    server = grpc.server(ThreadPoolExecutor(4))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    parent, ended = os.getppid(), threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    while not ended.wait(1) and os.getppid() == parent:
        pass
    host.end()


if __name__ == "__main__":
    main()
