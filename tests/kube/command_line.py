"""The command line on a real control plane, as a user calls it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aistack.exit_codes import ExitCode
from kube.objects import JsonObject, dig, labels_of, name_of
from sandbox.live_kube.api_server import ApiServer
from tests.conftest import ROOT
from tests.kube.conftest import LiveSandbox, eventually
from tests.kube.planted_causes import ENDLESS, job

_AISTACK = (sys.executable, "-m", "aistack")


def aistack(*words: str, says: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*_AISTACK, *words],
        input=says,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "AISTACK_SANDBOX": "", **environment},
    )


def _hears_ctrl_c() -> None:
    """As in a terminal: what tests run in the background ignores it, and its children do."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def started(*words: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """One that goes on; what it says may be read as it comes."""
    process = subprocess.Popen(
        [*_AISTACK, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "AISTACK_SANDBOX": "", **environment},
        preexec_fn=_hears_ctrl_c,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def until_told(process: subprocess.Popen[str], words: str) -> None:
    """Reads what is told until the words are: how many states are seen before depends on how busy
    the machine is."""
    assert process.stderr is not None
    told: list[str] = []
    while not any(words in it for it in told[-1:]):
        told.append(process.stderr.readline())
        assert told[-1], (words, told)


def opened(tunnel: subprocess.Popen[str]) -> dict[str, Any]:
    """What it says once it is open."""
    assert tunnel.stdout is not None
    assert tunnel.stderr is not None
    said = ""
    while not said.endswith("}\n"):
        line = tunnel.stdout.readline()
        assert line, tunnel.stderr.read()
        said += line
    return json.loads(said)


def folder_of(live: LiveSandbox) -> str:
    return str(live.workspace.root)


def asked(live: LiveSandbox, *words: str) -> subprocess.CompletedProcess[str]:
    return aistack(*words, AISTACK_SANDBOX=folder_of(live))


def answered(live: LiveSandbox, *words: str) -> Any:
    done = asked(live, *words, "--json")
    assert done.returncode in (ExitCode.FINE, ExitCode.IN_THE_WAY, ExitCode.STOP_FIRST), done.stderr
    return json.loads(done.stdout)


def submit(
    server: ApiServer, name: str, *, namespace: str = "default", **spec: Any
) -> list[JsonObject]:
    """Its pods, once they run."""
    made = job(name, annotations=ENDLESS)
    made["metadata"]["namespace"] = namespace
    made["spec"] |= spec
    server.acting_as("kubectl").apply(made, force=True)
    return running_pods(server, name, int(spec.get("parallelism", 1)))


def running_pods(server: ApiServer, job: str, wanted: int = 1) -> list[JsonObject]:
    def pods() -> list[JsonObject]:
        found = server.list("v1", "Pod")
        own = [it for it in found if labels_of(it).get("batch.kubernetes.io/job-name") == job]
        return [it for it in own if dig(it, "status", "phase") == "Running"]

    return sorted(eventually(pods, lambda seen: len(seen) == wanted), key=name_of)


def state(live: LiveSandbox, name: str) -> str:
    found = answered(live, "jobs")["jobs"]
    return next((it["state"] for it in found if it["name"] == name), "")
