"""`shell` on a real API server, with kwok's server in place of a kubelet.

It runs commands on this machine. It does not close a command's input, nor tell its exit code: what
the API server says of that is in tests/unit/test_aistack_shell.py.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping

import pytest

from aistack.exit_codes import ExitCode
from sandbox.control_plane import ControlPlane
from sandbox.kube.objects import name_of
from sandbox.live_kube.api_server import ApiServer
from tests.conftest import ROOT
from tests.kube.command_line import aistack, submit
from tests.kube.kubelet import Kubelet, kubelet
from tests.kube.person import NODE, administrator

PATIENCE_SECONDS = 60
TWO = {"parallelism": 2, "completions": 2, "completionMode": "Indexed"}


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    made = ControlPlane(tmp_path_factory.mktemp("inside") / "plane")
    made.start()
    ApiServer(made.kubeconfig).apply(NODE)
    yield made
    made.remove()


@pytest.fixture(scope="module")
def me(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    return administrator(plane, tmp_path_factory.mktemp("person") / "me", ["default"])


@pytest.fixture(scope="module")
def inside(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubelet]:
    """A node on which a job of two ranks runs."""
    pods = submit(ApiServer(plane.kubeconfig), "ranks", **TWO)
    with kubelet(plane.kubeconfig, tmp_path_factory.mktemp("kubelet"), pods) as made:
        yield made


def test_a_command_runs_in_a_rank(inside: Kubelet, me: Mapping[str, str]) -> None:
    said = "head -c 5; echo; pwd; echo no >&2"
    done = aistack("shell", "ranks", "--rank", "1", "--", "sh", "-c", said, says="hello", **me)
    assert done.stdout.splitlines() == ["hello", str(inside.folder)], done.stderr
    assert (done.stderr, done.returncode) == ("no\n", ExitCode.FINE)


def test_more_than_a_frame_comes_whole(inside: Kubelet, me: Mapping[str, str]) -> None:
    assert inside
    done = aistack("shell", "ranks", "--", "seq", "200000", **me)
    assert done.stdout.splitlines() == [str(it) for it in range(1, 200_001)]


def test_without_a_command_it_is_a_shell(inside: Kubelet, me: Mapping[str, str]) -> None:
    assert inside
    done = aistack("shell", "ranks", says="echo $((6 * 7)); exit\n", **me)
    assert (done.stdout, done.returncode) == ("42\n", ExitCode.FINE)


def test_a_command_has_the_terminal_that_it_is_called_from(
    inside: Kubelet, me: Mapping[str, str]
) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
    asks = ("--", "sh", "-c", "stty size; read word; echo heard $word")
    command = [sys.executable, "-m", "aistack", "shell", "ranks", *asks]
    environment = {**os.environ, "AISTACK_SANDBOX": "", **me}
    before = termios.tcgetattr(theirs)
    done = subprocess.Popen(command, stdin=theirs, stdout=theirs, cwd=ROOT, env=environment)
    try:
        _read_until(ours, b"33 111")
        os.write(ours, b"me\r")
        _read_until(ours, b"heard me")
        assert done.wait(PATIENCE_SECONDS) == ExitCode.FINE
        assert termios.tcgetattr(theirs) == before
    finally:
        done.kill()
        done.wait()


def _read_until(terminal: int, wanted: bytes) -> None:
    said = b""
    while wanted not in said:
        assert select.select([terminal], [], [], PATIENCE_SECONDS)[0], said
        said += os.read(terminal, 2**16)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ranks", "--rank", "2"], '--rank: "2": there is none; nearest: 0, 1'),
        (["ranks", "-c", "side", "--", "true"], "container side is not valid for pod"),
        (["ranks", "--", "none-such"], 'exec: "none-such": executable file not found'),
    ],
)
def test_what_cannot_be_run_is_told(
    inside: Kubelet, me: Mapping[str, str], words: list[str], said: str
) -> None:
    assert name_of(inside.pods[0])
    done = aistack("shell", *words, **me)
    assert done.returncode == ExitCode.REFUSED
    assert said in done.stderr
