"""A port of this machine that leads to a service of the cluster, whichever pod is behind it.

Requests of web pages that are not the port's own do not get through (`http_gate`)."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from aistack.channels import Channels
from aistack.cluster import Cluster
from aistack.errors import LostError, VerbError
from aistack.http_gate import HttpGate, RefusedError
from aistack.service import Door
from kube.kinds import POD

_AGAIN_SECONDS = 1.0
# So long a caller waits for a pod that comes in place of another.
_PATIENCE_SECONDS = 120.0
_HERE = "127.0.0.1"
# So long the sender of a refused request is let finish, to read why.
_LAST_SECONDS = 5.0
# Channels of a forwarded port (kubernetes/kubelet v0.35.4
# pkg/cri/streaming/portforward/websocket.go); each first says which port it is of.
_DATA = 0
_ERROR = 1


class Tunnel:
    """`say` is told, once each, why something does not get through."""

    def __init__(self, cluster: Cluster, door: Door, say: Callable[[str], None]) -> None:
        self._cluster = cluster
        self._door = door
        self._say = say
        self._told = ""

    def open(self, port: int | None) -> socket.socket:
        """By default the service's own port, or where that is taken any. Raises VerbError."""
        wanted = self._door.number if port is None else port
        try:
            return self.listen(wanted)
        except OverflowError:
            # A Service may say -1.
            return self.listen(0)
        except OSError as error:
            if port is not None:
                raise VerbError(f"--port: {port}: {error.strerror}") from None
            return self.listen(0)

    @staticmethod
    def listen(port: int) -> socket.socket:
        """To this machine alone. Raises OSError."""
        return socket.create_server((_HERE, port))

    def serve(self, listener: socket.socket) -> None:
        """For ever."""
        while True:
            caller, _ = listener.accept()
            threading.Thread(target=self._lead, args=(caller,), daemon=True).start()

    def _lead(self, caller: socket.socket) -> None:
        with caller:
            try:
                with self._channels() as channels:
                    self._pass_on(channels, caller)
            except RefusedError as error:
                self._tell(f"a request does not get through: {error}")
                self._answer(caller, error.answer)
            except VerbError as error:
                self._tell(str(error))
            except OSError:
                # The caller has gone away, which is theirs to do.
                return

    def _channels(self) -> Channels:
        """To the pod that is behind the service now."""
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                pod, port = self._door.behind(self._cluster)
                path = POD.path(self._door.namespace, pod, "portforward")
                return Channels(self._cluster.websocket(path, [("ports", str(port))]))
            except LostError as error:
                if time.monotonic() > until:
                    raise
                self._tell(f"{error}; who calls waits for it")
            time.sleep(_AGAIN_SECONDS)

    def _pass_on(self, channels: Channels, caller: socket.socket) -> None:
        begun: set[int] = set()
        gate = HttpGate()
        for channel, data in channels.exchange(
            caller.fileno(), ends_with_input=True, through=gate.request
        ):
            if channel not in begun:
                begun.add(channel)
            elif channel == _DATA:
                caller.sendall(gate.answer(data))
            elif channel == _ERROR:
                why = data.decode(errors="replace").strip().rpartition(": ")[2]
                raise VerbError(f"{self._door}: its pod does not answer: {why}")

    @staticmethod
    def _answer(caller: socket.socket, answer: bytes) -> None:
        with suppress(OSError):
            caller.sendall(answer)
            # With bytes unread the operating system would take the answer back.
            caller.shutdown(socket.SHUT_WR)
            caller.settimeout(_LAST_SECONDS)
            while caller.recv(2**16):
                pass

    def _tell(self, what: str) -> None:
        if what != self._told:
            self._told = what
            self._say(what)
