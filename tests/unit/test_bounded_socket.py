"""A message from a pod is refused by what its frames say of their length, before it is held."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from websocket import WebSocket

from aistack.bounded_socket import MOST_BYTES, bound
from aistack.errors import EndlessError

_BEGUN, _GOES_ON, _WHOLE = 0x02, 0x00, 0x82


@pytest.fixture
def ends() -> Iterator[tuple[WebSocket, socket.socket]]:
    here, there = socket.socketpair()
    opened = WebSocket()
    opened.sock = here
    opened.connected = True
    with here, there:
        yield bound(opened, "the pod", "another"), there


def frame(kind: int, size: int, data: bytes) -> bytes:
    return bytes((kind, 127)) + size.to_bytes(8) + data


def test_a_message_within_the_bound_arrives_whole(ends: tuple[WebSocket, socket.socket]) -> None:
    here, there = ends
    there.sendall(frame(_BEGUN, 3, b"abc") + frame(_GOES_ON | 0x80, 2, b"de"))
    assert here.recv_data()[1] == b"abcde"


def test_a_frame_that_says_it_is_larger_is_refused_unread(
    ends: tuple[WebSocket, socket.socket],
) -> None:
    here, there = ends
    there.sendall(frame(_WHOLE, MOST_BYTES + 1, b""))
    with pytest.raises(EndlessError, match=r"^the pod sends a message without an end; nearest: an"):
        here.recv_data()


def test_a_message_of_frames_without_an_end_is_refused(
    ends: tuple[WebSocket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aistack.bounded_socket.MOST_BYTES", 10)
    here, there = ends
    there.sendall(frame(_BEGUN, 6, b"x" * 6) + frame(_GOES_ON, 6, b"x" * 6))
    with pytest.raises(EndlessError):
        here.recv_data()
