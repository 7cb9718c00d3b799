"""A port of this machine that leads to a service of the cluster, whichever pod is behind it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable

from aistack.channels import Channels
from aistack.cluster import Cluster
from aistack.errors import LostError, VerbError
from aistack.kinds import POD
from aistack.service import Door

_AGAIN_SECONDS = 1.0
# So long a caller waits for a pod that comes in place of another.
_PATIENCE_SECONDS = 120.0
_HERE = "127.0.0.1"
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
        for channel, data in channels.exchange(caller.fileno(), ends_with_input=True):
            if channel not in begun:
                begun.add(channel)
            elif channel == _DATA:
                caller.sendall(data)
            elif channel == _ERROR:
                raise VerbError(data.decode(errors="replace").strip())

    def _tell(self, what: str) -> None:
        if what != self._told:
            self._told = what
            self._say(what)
