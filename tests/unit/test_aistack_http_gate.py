"""Which requests get through a port of this machine, over a real HTTP server on this machine.

In place of the API server stands `Pod`, which carries bytes to that server as the port-forwarding
WebSocket does: a byte for the channel, and first the port on each.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import pytest
from websocket import (
    ABNF,
    WebSocketBadStatusException,
    WebSocketConnectionClosedException,
    create_connection,
)

from aistack.channels import Channels
from aistack.cluster import Cluster
from aistack.service import Door
from aistack.tunnel import Tunnel

DOOR = Door({"metadata": {"name": "ray", "namespace": "default"}}, {"port": 8265})
PATIENCE_SECONDS = 300
# RFC 6455, section 1.3.
_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Page(BaseHTTPRequestHandler):
    """Keeps connections open, and remembers what it was asked for."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str, bytes]]

    def do_GET(self) -> None:
        if self.headers.get("Upgrade") == "websocket" and self.path == "/live":
            self._websocket()
            return
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes) -> None:
        self.asked.append((self.command, self.path, body))
        said = f"{self.command} {self.path}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def _websocket(self) -> None:
        """Says `hello` once its client has said something."""
        self.asked.append((self.command, self.path, b""))
        key = self.headers["Sec-WebSocket-Key"].encode() + _MAGIC
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        accept = base64.b64encode(hashlib.sha1(key, usedforsecurity=False).digest())
        self.send_header("Sec-WebSocket-Accept", accept.decode())
        self.end_headers()
        self.rfile.read(1)
        self.wfile.write(b"\x81\x05hello")
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Not on the terminal of who runs tests."""


class Pod:
    """What a WebSocket of the API server's is to `Channels`, with a server of this machine."""

    def __init__(self, port: int) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port))
        self._first = [b"\x00\x49\x20", b"\x01\x49\x20"]

    def getheaders(self) -> dict[str, str]:
        return {}

    def fileno(self) -> int:
        return self.sock.fileno()

    def ping(self) -> None:
        """The server of this machine gives up no connection."""

    def abort(self) -> None:
        self.sock.close()

    def shutdown(self) -> None:
        self.sock.close()

    def send_binary(self, data: bytes) -> None:
        self.sock.sendall(data[1:])

    def recv_data_frame(self, control_frame: bool) -> tuple[int, ABNF]:
        assert control_frame
        if self._first:
            return self._frame(self._first.pop(0))
        data = self.sock.recv(2**16)
        if not data:
            raise WebSocketConnectionClosedException
        return self._frame(b"\x00" + data)

    @staticmethod
    def _frame(data: bytes) -> tuple[int, ABNF]:
        return ABNF.OPCODE_BINARY, ABNF.create_frame(data, ABNF.OPCODE_BINARY)


class PodChannels(Channels):
    """The two frames that name the ports come without being asked for."""

    def _ready(self, local: int | None) -> list[int]:
        pod = cast(Pod, cast(Any, self)._socket)
        return [pod.fileno()] if pod._first else super()._ready(local)


class ToThisMachine(Tunnel):
    def __init__(self, port: int, told: list[str]) -> None:
        super().__init__(cast(Cluster, None), DOOR, told.append)
        self._port = port

    def _channels(self) -> Channels:
        return PodChannels(cast(Any, Pod(self._port)))


@contextmanager
def listening(port: int, told: list[str]) -> Iterator[int]:
    """The port that leads to a server's."""
    listener = Tunnel.listen(0)
    serve = ToThisMachine(port, told).serve

    def until_closed() -> None:
        try:
            serve(listener)
        except OSError:
            return

    threading.Thread(target=until_closed, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def asked() -> list[tuple[str, str, bytes]]:
    return []


@pytest.fixture
def server(asked: list[tuple[str, str, bytes]]) -> Iterator[int]:
    handler = type("Asked", (Page,), {"asked": asked})
    made = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
    yield made.server_port
    made.shutdown()
    made.server_close()


@pytest.fixture
def port(server: int, told: list[str]) -> Iterator[int]:
    with listening(server, told) as opened:
        yield opened


def called(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)


def answers(port: int, *requests: bytes) -> bytes:
    """All that is said on one connection, until the other side closes it."""
    with called(port) as caller:
        for each in requests:
            caller.sendall(each)
        said = b""
        while data := caller.recv(2**16):
            said += data
        return said


def request(host: str, path: str = "/", method: str = "GET", *more: str, body: str = "") -> bytes:
    headers = [f"Host: {host}", *more]
    if body:
        headers.append(f"Content-Length: {len(body)}")
    return "\r\n".join([f"{method} {path} HTTP/1.1", *headers, "", body]).encode()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_a_page_of_this_machine_reads_and_submits(
    port: int, asked: list[tuple[str, str, bytes]], name: str
) -> None:
    here = f"{name}:{port}"
    origin = f"Origin: http://{here}"
    assert answers(port, request(here, "/api")).endswith(b"GET /api")
    assert answers(port, request(here, "/jobs", "POST", origin, body="{}")).endswith(b"POST /jobs")
    assert asked == [("GET", "/api", b""), ("POST", "/jobs", b"{}")]


def test_an_ordinary_client_asks_again_and_again(port: int) -> None:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    for path in ("/one", "/two", "/three"):
        client.request("GET", path)
        assert client.getresponse().read() == f"GET {path}".encode()


@pytest.mark.parametrize(
    ("host", "headers"),
    [
        ("evil.example:{port}", []),
        ("127.0.0.1.evil.example:{port}", []),
        ("evil.example@127.0.0.1:{port}", []),
        ("localhost.:{port}", []),
        ("127.0.0.1:{port}", ["Host: evil.example"]),
        ("127.0.0.1:{port}", ["Origin: https://evil.example"]),
        ("127.0.0.1:{port}", ["Origin: http://127.0.0.1:1"]),
        ("127.0.0.1:{port}", ["Origin: null"]),
        ("127.0.0.1:{port}", ["Origin : http://evil.example"]),
        ("127.0.0.1:{port}", ["X: 1", " Origin: http://evil.example"]),
    ],
)
def test_a_request_of_another_page_reaches_nothing(
    port: int, asked: list[tuple[str, str, bytes]], told: list[str], host: str, headers: list[str]
) -> None:
    job = request(host.format(port=port), "/api/jobs/", "POST", *headers, body="{}")
    assert answers(port, job).startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert (asked, len(told)) == ([], 1)


def test_a_refusal_says_which_header_why_and_what_works(port: int, told: list[str]) -> None:
    said = answers(port, request("evil.example")).decode()
    assert 'Host: "evil.example" is no name of this machine' in said
    assert "(DNS rebinding); nearest: 127.0.0.1" in said
    assert told == [f"a request does not get through: {said.splitlines()[-1]}"]


def test_a_request_that_names_its_server_in_the_first_line_reaches_nothing(
    port: int, asked: list[tuple[str, str, bytes]]
) -> None:
    said = answers(port, request(f"127.0.0.1:{port}", "http://evil.example/jobs"))
    assert said.startswith(b"HTTP/1.1 403")
    assert asked == []


def test_headers_that_come_in_pieces_are_read_whole(
    port: int, asked: list[tuple[str, str, bytes]]
) -> None:
    good, bad = request(f"127.0.0.1:{port}", "/whole"), request("evil.example", "/whole")
    assert answers(port, *(good[it : it + 1] for it in range(len(good)))).endswith(b"GET /whole")
    assert answers(port, *(bad[it : it + 1] for it in range(len(bad)))).startswith(b"HTTP/1.1 403")
    assert len(asked) == 1


def test_a_second_request_on_a_connection_reaches_nothing(
    port: int, asked: list[tuple[str, str, bytes]]
) -> None:
    """Its headers nobody has looked at."""
    first = request(f"127.0.0.1:{port}", "/first", "GET", "Connection: keep-alive")
    said = answers(port, first + request("evil.example", "/second"))
    assert said.count(b"HTTP/1.1 ") == 1
    assert [path for _, path, _ in asked] == ["/first"]


def test_a_websocket_of_this_machines_page_stays_open(port: int) -> None:
    live = create_connection(f"ws://127.0.0.1:{port}/live", timeout=PATIENCE_SECONDS)
    live.send("anything")
    assert live.recv() == "hello"


def test_a_websocket_of_another_page_reaches_nothing(
    port: int, asked: list[tuple[str, str, bytes]]
) -> None:
    """A browser opens one to anywhere without asking, and sends its page's Origin."""
    with pytest.raises(WebSocketBadStatusException, match="403"):
        create_connection(
            f"ws://127.0.0.1:{port}/live", timeout=PATIENCE_SECONDS, origin="http://evil.example"
        )
    assert asked == []


def test_after_a_websocket_that_the_server_declines_comes_no_other_request(
    port: int, asked: list[tuple[str, str, bytes]]
) -> None:
    here = f"127.0.0.1:{port}"
    upgrade = request(here, "/no", "GET", "Connection: Upgrade", "Upgrade: websocket")
    with called(port) as caller:
        caller.sendall(upgrade)
        said = b""
        while not said.endswith(b"GET /no"):
            said += caller.recv(2**16)
        caller.sendall(request("evil.example", "/second"))
        assert caller.recv(2**16) == b""
    assert [path for _, path, _ in asked] == ["/no"]


def test_another_upgrade_is_an_ordinary_request(
    port: int, asked: list[tuple[str, str, bytes]]
) -> None:
    here = f"127.0.0.1:{port}"
    wanted = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c")
    said = answers(port, request(here, "/", "GET", *wanted) + request("evil.example", "/second"))
    assert said.endswith(b"GET /")
    assert len(asked) == 1


@pytest.mark.parametrize(
    "first",
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"*1\r\n$4\r\nPING\r\n", b"\x16\x03\x01", b"PING\r\n"],
)
def test_what_is_no_http_1_goes_through_as_it_is(told: list[str], first: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(PATIENCE_SECONDS)
        with listening(other.getsockname()[1], told) as port, called(port) as caller:
            caller.sendall(first)
            pod, _ = other.accept()
            with pod:
                assert pod.recv(len(first), socket.MSG_WAITALL) == first
                pod.sendall(b"and back")
            assert caller.recv(2**16) == b"and back"
    assert told == []


def test_a_server_that_speaks_first_is_heard(told: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(PATIENCE_SECONDS)
        with listening(other.getsockname()[1], told) as port, called(port) as caller:
            pod, _ = other.accept()
            with pod:
                pod.sendall(b"220 ready")
                assert caller.recv(2**16) == b"220 ready"


def test_a_server_that_first_asks_for_the_body_is_heard(told: list[str]) -> None:
    """`curl` waits for a 100 before a larger body."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(PATIENCE_SECONDS)
        with listening(other.getsockname()[1], told) as port, called(port) as caller:
            caller.sendall(request(f"127.0.0.1:{port}", "/", "POST", "Expect: 100-continue"))
            pod, _ = other.accept()
            with pod:
                assert pod.recv(2**16).endswith(b"Connection: close\r\n\r\n")
                go_on = b"HTTP/1.1 100 Continue\r\n\r\n"
                pod.sendall(go_on)
                assert caller.recv(2**16) == go_on
                pod.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            assert caller.recv(2**16) == b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"


def test_headers_without_an_end_are_refused(port: int, asked: list[tuple[str, str, bytes]]) -> None:
    said = answers(port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 70_000)
    assert b"have more than 65536 bytes" in said
    assert asked == []


def test_a_service_whose_port_is_no_ports_number_is_led_to_from_any(told: list[str]) -> None:
    door = Door(DOOR.service, {**DOOR.port, "port": -1})
    with Tunnel(cast(Cluster, None), door, told.append).open(None) as listener:
        assert listener.getsockname()[1] > 0
