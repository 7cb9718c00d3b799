"""`shell` and `tunnel` on a real API server, with kwok's server in place of a kubelet.

It runs commands on this machine, does not close their input, may lose their last words to a
terminal, and does not tell their exit code: for that see tests/unit/test_aistack_shell.py.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError

import pytest

from aistack.exit_codes import ExitCode
from kube.objects import JsonObject, Ref, name_of
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api_server import ApiServer
from tests.conftest import ROOT
from tests.kube.command_line import aistack, opened, started, submit, until_told
from tests.kube.conftest import PATIENCE_SECONDS, eventually
from tests.kube.kubelet import Kubelet, kubelet
from tests.kube.person import NODE, administrator
from tests.kube.web import answer, echo

TWO = {"parallelism": 2, "completions": 2, "completionMode": "Indexed"}

SERVICE: JsonObject = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "chat", "namespace": "default"},
    "spec": {"selector": {"app": "chat"}, "ports": [{"port": 80, "targetPort": "http"}]},
}
CONTAINER: JsonObject = {
    "name": "server",
    "image": "python:3.12-slim",
    "ports": [{"name": "http", "containerPort": 8000}],
}
POD: JsonObject = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "chat", "namespace": "default", "labels": {"app": "chat"}},
    "spec": {"containers": [CONTAINER]},
}


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
    """A node on which a job of two ranks runs, and what answers on port 8000 of each pod."""
    pods = submit(ApiServer(plane.kubeconfig), "ranks", **TWO)
    folder = tmp_path_factory.mktemp("kubelet")
    with echo() as port, kubelet(plane.kubeconfig, folder, pods, {8000: port}) as made:
        yield made


@pytest.fixture
def server(plane: ControlPlane, inside: Kubelet) -> ApiServer:
    """With a service, and a pod behind it."""
    assert inside
    made = ApiServer(plane.kubeconfig)
    made.apply(SERVICE)
    made.apply(POD)
    return made


def test_a_command_runs_in_a_rank(inside: Kubelet, me: Mapping[str, str]) -> None:
    said = "head -c 5; echo; pwd; echo no >&2"
    done = aistack("shell", "ranks", "--rank", "1", "--", "sh", "-c", said, says="hello", **me)
    assert done.stdout.splitlines() == ["hello", str(inside.folder)], done.stderr
    assert (done.stderr.splitlines()[-1], done.returncode) == ("no", ExitCode.FINE)


def test_what_a_command_says_is_one_object_for_scripts(
    inside: Kubelet, me: Mapping[str, str]
) -> None:
    assert inside
    done = aistack("shell", "ranks", "--json", "--", "sh", "-c", "echo yes; echo no >&2", **me)
    said = json.loads(done.stdout)
    assert (said["stdout"], said["stderr"], said["exit_code"]) == ("yes\n", "no\n", 0)
    refused = aistack("shell", "ranks", "--json", **me)
    assert refused.returncode == ExitCode.USAGE


def test_more_than_a_frame_comes_whole(inside: Kubelet, me: Mapping[str, str]) -> None:
    """SPDY, which the API server speaks to the kubelet, may drop what was not read at the end."""
    assert inside
    asks = "seq 200000; read end"
    with started("shell", "ranks", "--", "sh", "-c", asks, **me) as running:
        assert running.stdout is not None
        said = [running.stdout.readline() for _ in range(200_000)]
        assert said == [f"{it}\n" for it in range(1, 200_001)]
        running.communicate("\n", PATIENCE_SECONDS)
        assert running.returncode == ExitCode.FINE


def test_without_a_command_it_is_a_shell(inside: Kubelet, me: Mapping[str, str]) -> None:
    assert inside
    done = aistack("shell", "ranks", says="echo $((6 * 7)); exit\n", **me)
    assert (done.stdout, done.returncode) == ("42\n", ExitCode.FINE)


def test_a_command_has_the_terminal_that_it_is_called_from(
    inside: Kubelet, me: Mapping[str, str]
) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
    sized = 'until [ "$(stty size)" = "33 111" ]; do sleep 0.1; done; echo sized'
    asks = f"{sized}; read word; echo heard $word; read end"
    command = [sys.executable, "-m", "aistack", "shell", "ranks", "--", "sh", "-c", asks]
    environment = {**os.environ, "AISTACK_SANDBOX": "", **me}
    before = termios.tcgetattr(theirs)
    done = subprocess.Popen(command, stdin=theirs, stdout=theirs, cwd=ROOT, env=environment)
    try:
        _read_until(ours, b"sized")
        os.write(ours, b"me\r")
        _read_until(ours, b"heard me")
        os.write(ours, b"\r")
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


def test_a_tunnel_leads_to_a_service(server: ApiServer, me: Mapping[str, str]) -> None:
    assert server
    with started("tunnel", "chat", "--json", **me) as tunnel:
        found = opened(tunnel)
        assert found["to"] == "default/chat:80"
        assert answer(found["url"], b"hello") == b"hello"
        much = os.urandom(2**22)
        assert answer(found["url"], much) == much
        tunnel.send_signal(signal.SIGINT)
        assert tunnel.wait(PATIENCE_SECONDS) == ExitCode.INTERRUPTED


def test_a_web_page_of_somebody_else_gets_nothing_through_a_tunnel(
    server: ApiServer, me: Mapping[str, str]
) -> None:
    assert server
    with started("tunnel", "chat", "--json", **me) as tunnel:
        url = opened(tunnel)["url"]
        for header in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            with pytest.raises(HTTPError) as refused:
                answer(url, b"hello", **header)
            assert refused.value.code == 403
            until_told(tunnel, "evil.example")
        assert answer(url, b"hello") == b"hello"


def test_a_tunnel_waits_for_a_pod_that_comes_in_place_of_another(
    server: ApiServer, me: Mapping[str, str]
) -> None:
    with started("tunnel", "chat:80", "--json", **me) as tunnel:
        url = opened(tunnel)["url"]
        assert answer(url, b"first") == b"first"
        server.delete(Ref.of(POD))
        eventually(lambda: server.get(Ref.of(POD)), lambda it: it is None)
        with ThreadPoolExecutor() as callers:
            waiting = callers.submit(answer, url, b"second")
            until_told(tunnel, "no pod of default/chat:80 is ready")
            server.apply(POD)
            assert waiting.result(PATIENCE_SECONDS) == b"second"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("chatt", 'NAME: "chatt": there is no such service; nearest: chat'),
        ("chat:81", 'NAME: "chat:81": there is no such port; nearest: 80'),
        ("elsewhere/chat", 'NAME: "elsewhere/chat": there is no such service'),
    ],
)
def test_a_tunnel_to_nowhere_is_refused(
    server: ApiServer, me: Mapping[str, str], name: str, said: str
) -> None:
    assert server
    done = aistack("tunnel", name, **me)
    assert done.returncode == ExitCode.NOT_FOUND
    assert said in done.stderr
