"""A connection into a pod, through the API server. Each of its frames belongs to a channel.

kubernetes/apimachinery v0.35.4 pkg/util/remotecommand/constants.go (v5.channel.k8s.io: one channel
can be closed alone) and kubernetes/kubelet v0.35.4 pkg/cri/streaming/portforward/websocket.go.
"""

from __future__ import annotations

import os
import select
import ssl
from collections.abc import Callable, Iterator

from kubernetes.stream.ws_client import CLOSE_CHANNEL, V5_CHANNEL_PROTOCOL
from websocket import ABNF, WebSocket, WebSocketConnectionClosedException, WebSocketException

from aistack.errors import LostError, reason_of

# What comes from this side goes there.
INPUT = 0
_TICK_SECONDS = 1.0
_MOST = 2**16
_DATA = (ABNF.OPCODE_BINARY, ABNF.OPCODE_TEXT)


class Channels:
    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        headers = socket.getheaders() or {}
        self._closes_alone = headers.get("sec-websocket-protocol") == V5_CHANNEL_PROTOCOL

    def __enter__(self) -> Channels:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.abort()
        self._socket.shutdown()

    def send(self, channel: int, data: bytes) -> None:
        try:
            self._socket.send_binary(bytes([channel]) + data)
        except (WebSocketException, OSError) as error:
            raise _broken(error) from None

    def exchange(
        self,
        local: int | None,
        tick: Callable[[], None] = lambda: None,
        *,
        ends_with_input: bool = False,
        through: Callable[[bytes], bytes] = lambda data: data,
    ) -> Iterator[tuple[int, bytes]]:
        """What comes, by channel, while what the file `local` says goes there, as `through` has it;
        until the other side has closed, in whatever way, or with `ends_with_input` until it is
        silent after the end of `local`. Raises LostError where the connection breaks, and what
        `through` raises."""
        while True:
            ready = self._ready(local)
            tick()
            if not ready and local is None and ends_with_input:
                return
            if local is not None and local in ready and not self._send_from(local, through):
                local = None
            try:
                if not ready:
                    # Who carries the connection gives up those on which nothing is said.
                    self._socket.ping()
                if self._socket.fileno() not in ready:
                    continue
                opcode, frame = self._socket.recv_data_frame(True)
            except WebSocketConnectionClosedException:
                return
            except (WebSocketException, OSError) as error:
                raise _broken(error) from None
            if opcode == ABNF.OPCODE_CLOSE:
                return
            if opcode in _DATA and frame.data:
                yield frame.data[0], frame.data[1:]

    def _send_from(self, local: int, through: Callable[[bytes], bytes]) -> bool:
        """Whether there may be more."""
        data = os.read(local, _MOST)
        if data:
            if passed := through(data):
                self.send(INPUT, passed)
        elif self._closes_alone:
            self.send(CLOSE_CHANNEL, bytes([INPUT]))
        return bool(data)

    def _ready(self, local: int | None) -> list[int]:
        """Of what TLS has read already the operating system knows nothing."""
        remote = self._socket.fileno()
        waits = [remote] if local is None else [remote, local]
        inner = self._socket.sock
        pending = isinstance(inner, ssl.SSLSocket) and inner.pending() > 0
        found, _, _ = select.select(waits, [], [], 0 if pending else _TICK_SECONDS)
        return [*found, remote] if pending and remote not in found else found


def _broken(error: Exception) -> LostError:
    return LostError(f"the connection to the pod broke off: {reason_of(error)}")
