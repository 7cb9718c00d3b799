"""A real Ray head that asks for a token."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import urllib3
import yaml

from tests.conftest import ROOT

BIN = ROOT / ".venv-workloads" / "bin"
# Ray's own bound for a head's dashboard is longer on a busy machine.
_START_S = 300.0


def free_port() -> int:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@dataclass(frozen=True)
class Head:
    port: int
    gcs: int
    token: str
    folder: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self, token: str | None) -> dict[str, str]:
        """Of a client, which has no token at home."""
        given = {} if token is None else {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}
        own = {"HOME": str(self.folder), "PATH": f"{BIN}:{os.environ['PATH']}"}
        return own | {"RAY_USAGE_STATS_ENABLED": "0"} | given

    def run(self, *command: str, token: str | None) -> subprocess.CompletedProcess[str]:
        more = {"RESUME_DASHBOARD": self.url, "PYTHONPATH": str(ROOT / "workloads" / "ray")}
        return subprocess.run(
            command,
            env=self.environment(token) | more,
            capture_output=True,
            text=True,
            check=False,
        )

    def submitted(self, job: str, spec: Mapping[str, Any]) -> tuple[str, str]:
        """How a job ends and what it prints, submitted as KubeRay does it from a RayJob's spec."""
        jobs, headers = f"{self.url}/api/jobs/", {"X-Ray-Authorization": f"Bearer {self.token}"}
        asked = {"entrypoint": spec["entrypoint"], "submission_id": job}
        asked |= {"runtime_env": yaml.safe_load(spec["runtimeEnvYAML"])}
        answer = urllib3.request("POST", jobs, json=asked, headers=headers)
        assert answer.status == 200, answer.data
        until = time.monotonic() + _START_S
        while (found := urllib3.request("GET", jobs + job, headers=headers).json())["status"] in (
            "PENDING",
            "RUNNING",
        ):
            assert time.monotonic() < until, found
            time.sleep(0.2)
        log = urllib3.request("GET", f"{jobs}{job}/logs", headers=headers).json()["logs"]
        return found["status"], f"{found['message']}\n{log}"

    def status(self, method: str, path: str, headers: dict[str, str]) -> int:
        return urllib3.request(method, self.url + path, headers=headers, retries=False).status


@contextmanager
def started(folder: Path) -> Iterator[Head]:
    """As KubeRay starts one: with the mode and the token as variables of its container."""
    made = Head(free_port(), free_port(), secrets.token_urlsafe(32), folder)
    # A socket's path has 107 characters at most.
    own = mkdtemp()
    ports = [f"--port={made.gcs}", f"--dashboard-port={made.port}", "--dashboard-host=127.0.0.1"]
    sizes = ["--num-cpus=1", "--object-store-memory=80000000", f"--temp-dir={own}"]
    process = subprocess.Popen(
        [BIN / "ray", "start", "--head", "--block", *ports, *sizes],
        env=made.environment(made.token),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        timer = threading.Timer(_START_S, process.kill)
        timer.start()
        said = ""
        # What Ray says once the head runs.
        while "block forever" not in said:
            line = process.stdout.readline()
            said += line
            assert line, said
        timer.cancel()
        assert made.token not in said
        yield made
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        shutil.rmtree(own)
