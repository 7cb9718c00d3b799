"""A websocket whose messages have a bound: who owns the pod at its other end chooses how long they
are, and the library holds each as a whole (websocket-client/websocket-client v1.9.2
websocket/_abnf.py, frame_buffer and continuous_frame)."""

from __future__ import annotations

from websocket import ABNF, WebSocket, continuous_frame, frame_buffer

from aistack.errors import EndlessError

# A kubelet sends parts of 32 KiB (Go's io.Copy), and Ray's dashboard parts of 20,000 characters
# (ray-project/ray 2.56.0 python/ray/dashboard/modules/job/utils.py, file_tail_iterator).
MOST_BYTES = 16 * 2**20


def bound(socket: WebSocket, whose: str, nearest: str) -> WebSocket:
    """From now on a message of more ends in an EndlessError, as soon as it says so."""
    told = f"{whose} sends a message without an end; nearest: {nearest}"
    socket.frame_buffer = _Frames(socket.frame_buffer, told)
    socket.cont_frame = _Message(socket.cont_frame, told)
    return socket


class _Frames(frame_buffer):
    def __init__(self, other: frame_buffer, told: str) -> None:
        super().__init__(other.recv, other.skip_utf8_validation)
        self.recv_buffer = other.recv_buffer
        self._told = told

    def recv_length(self) -> None:
        super().recv_length()
        if (self.length or 0) > MOST_BYTES:
            raise EndlessError(self._told)


class _Message(continuous_frame):
    def __init__(self, other: continuous_frame, told: str) -> None:
        super().__init__(other.fire_cont_frame, other.skip_utf8_validation)
        self._told = told

    def add(self, frame: ABNF) -> None:
        held = len(self.cont_data[1]) if self.cont_data else 0
        if held + len(frame.data) > MOST_BYTES:
            raise EndlessError(self._told)
        super().add(frame)
