"""Whether programs answer, and who is to blame when they do not."""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from sandbox.control_plane.layout import Layout
from sandbox.control_plane.processes import ManagedProcess
from sandbox.control_plane.programs import Program
from sandbox.errors import CloudError

Started = tuple[ManagedProcess, Program]
# A machine that compiles beside it needs several times the usual ten.
_MOST_SECONDS = 180.0
_ANSWER_SECONDS = 5.0
_BETWEEN_SECONDS = 0.05


class EndedError(CloudError):
    """A program ended that was to become ready."""

    def __init__(self, process: ManagedProcess) -> None:
        super().__init__("UNAVAILABLE", f"{process.name} ended: {process.last_line}")
        self.name = process.name


class Readiness:
    """Asks the programs of one control plane; trusts its authority, and is known to etcd."""

    def __init__(self, layout: Layout) -> None:
        self._tls = ssl.create_default_context(cafile=layout.authority)
        name = "kube-apiserver"
        self._tls.load_cert_chain(layout.certificate(name), layout.key(name))

    def wait(self, started: Sequence[Started], most_seconds: float = _MOST_SECONDS) -> None:
        """Wait until all are ready; raises CloudError when one ends or is not ready in time."""
        until = time.monotonic() + most_seconds
        waiting = list(started)
        while True:
            for process, _ in started:
                if process.pid is None:
                    raise EndedError(process)
            waiting = [each for each in waiting if not self.answers(each[1].ready)]
            if not waiting:
                return
            slow = waiting[0][0]
            if time.monotonic() > until:
                raise CloudError(
                    "UNAVAILABLE",
                    f"{slow.name} is not ready after {most_seconds:.0f} s: {slow.last_line}",
                )
            slow.wait_end(_BETWEEN_SECONDS)

    def answers(self, url: str) -> bool:
        """Whether the program says that it is ready."""
        address = urlsplit(url)
        # Not urllib: it would ask through the user's proxy.
        connection = (
            http.client.HTTPSConnection(address.netloc, timeout=_ANSWER_SECONDS, context=self._tls)
            if address.scheme == "https"
            else http.client.HTTPConnection(address.netloc, timeout=_ANSWER_SECONDS)
        )
        try:
            connection.request("GET", address.path)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
