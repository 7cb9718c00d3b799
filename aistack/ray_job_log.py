"""What the command of a RayJob prints that KubeRay has submitted over HTTP: it has no launcher, and
Ray writes it on the head, from where its job API gives it.

ray-project/ray 2.56.0 python/ray/dashboard/modules/job/job_head.py: `/api/jobs/ID/logs` is all that
was printed, and `/logs/tail` a websocket that begins with it, ends with the job, and says so by a
close.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import cached_property
from urllib.parse import quote

import urllib3
from websocket import (
    ABNF,
    WebSocket,
    WebSocketBadStatusException,
    WebSocketException,
    WebSocketTimeoutException,
    create_connection,
)

from aistack.bounded_socket import bound
from aistack.cluster import Cluster
from aistack.container_log import Line
from aistack.errors import (
    EndlessError,
    ForbiddenError,
    LostError,
    MissingError,
    VerbError,
    reason_of,
)
from aistack.find import Found
from aistack.members import DRIVER
from aistack.patience import Patience
from aistack.ray_token import ray_token
from aistack.service import find_service
from aistack.tunnel import Tunnel
from kube.kinds import RAY_CLUSTER
from kube.objects import dig
from kube.reading import document

_OK, _FAILED = 200, 500
_AGAIN_SECONDS = 1.0
_SECONDS = 30.0
# Of a whole answer: so many bytes, and so often the time that its beginning may take.
_MOST_BYTES = 256 * 2**20
_SLOWNESS = 10
_SILENCE_SECONDS = 60.0
_OF_PODS = "--rank all, what the pods of its cluster say"
# A text of that length without an end of a line is shown as one.
_LONGEST_LINE = 2**20
_LONGEST_REASON = 300


class RayJobLog:
    """Of a RayJob that runs or has run. `address` says where Ray's dashboard is reached, as
    HOST:PORT, `token` what it asks for, if anything; both raise VerbError. `seconds` is how long
    it may take to answer."""

    def __init__(
        self,
        found: Found,
        address: Callable[[], str],
        token: Callable[[], str | None] = lambda: None,
        seconds: float = _SECONDS,
    ) -> None:
        self._found = found
        self._seconds = seconds
        self._address = address
        self._token = token
        self._shown = 0

    @classmethod
    def of(cls, cluster: Cluster, found: Found, seconds: float = _SECONDS) -> RayJobLog:
        way = _Way(cluster, found)
        return cls(found, way.address, way.token, seconds)

    @property
    def uid(self) -> str:
        """An attempt has an id of its own."""
        return self._id

    @property
    def has_begun(self) -> bool:
        return bool(self._id) and dig(self._found.obj, "status", "jobStatus") not in (
            None,
            "",
            "PENDING",
        )

    @property
    def restarts(self) -> int:
        """Ray keeps nothing of an attempt before."""
        return 0

    @property
    def _id(self) -> str:
        return str(dig(self._found.obj, "status", "jobId") or "")

    def lines(self, *, tail: int | None, previous: bool = False) -> Iterator[Line]:
        yield from self._last(self._printed().splitlines(), tail)

    def followed(self, *, tail: int | None, lost: Callable[[VerbError], None]) -> Iterator[Line]:
        """Until the job has ended; taken up again where a connection was lost."""
        patience = Patience()
        while True:
            try:
                if tail is not None:
                    yield from self._begun(tail)
                    tail = None
                yield from self._new()
            except MissingError:
                return
            except EndlessError:
                raise
            except VerbError as error:
                patience.bear(error)
                lost(error)
            else:
                return
            time.sleep(_AGAIN_SECONDS)

    def _begun(self, tail: int) -> Iterator[Line]:
        printed = self._printed()
        self._shown = len(printed)
        yield from self._last(printed.splitlines(), tail)

    def _new(self) -> Iterator[Line]:
        """What was not shown yet, line by line."""
        skipped, rest = self._shown, ""
        for part in self._parts():
            new, skipped = part[skipped:], max(0, skipped - len(part))
            *lines, rest = (rest + new).split("\n")
            for text in lines:
                self._shown += len(text) + 1
                yield self._line(text)
            if len(rest) > _LONGEST_LINE:
                self._shown += len(rest)
                yield self._line(rest)
                rest = ""
        if rest:
            self._shown += len(rest)
            yield self._line(rest)

    def _parts(self) -> Iterator[str]:
        try:
            socket = self._opened()
            try:
                yield from _said(socket)
            finally:
                socket.close()
        except WebSocketBadStatusException as error:
            raise self._refused(error.status_code, error.resp_body or b"") from None
        except (WebSocketException, OSError) as error:
            raise LostError(f"Ray's dashboard broke off: {reason_of(error)}") from None

    def _opened(self) -> WebSocket:
        socket = create_connection(
            f"ws://{self._address()}/{self._path}/tail",
            timeout=_SILENCE_SECONDS,
            header=self._headers(),
            # A head is its owner's, and would choose whom this machine asks, with the token.
            redirect_limit=0,
        )
        return bound(socket, f"what answers for {self._found.job.name}", _OF_PODS)

    def _headers(self) -> dict[str, str]:
        """In memory alone: a token is on no command line and in no message."""
        token = self._token()
        return {} if token is None else {"Authorization": f"Bearer {token}"}

    def _printed(self) -> str:
        try:
            answer = urllib3.request(
                "GET",
                f"http://{self._address()}/{self._path}",
                timeout=self._seconds,
                headers=self._headers(),
                retries=False,
                preload_content=False,
            )
            data = self._data(answer)
        except urllib3.exceptions.HTTPError as error:
            raise LostError(f"Ray's dashboard does not answer: {reason_of(error)}") from None
        if answer.status != _OK:
            raise self._refused(answer.status, data)
        logs = dig(document(data), "logs")
        if logs is None:
            raise self._refused(answer.status, b"what it answers is no log of Ray's")
        return str(logs)

    def _data(self, answer: urllib3.BaseHTTPResponse) -> bytes:
        """Not unpacked, which nobody has asked for: a head is its owner's, who may have it answer
        without an end."""
        data, until = bytearray(), time.monotonic() + _SLOWNESS * self._seconds
        with closing(answer):
            for part in answer.stream(decode_content=False):
                data += part
                if len(data) > _MOST_BYTES or time.monotonic() > until:
                    raise VerbError(
                        f"Ray's dashboard does not come to an end with what {self._found.job.name} "
                        f"printed; nearest: {_OF_PODS}"
                    )
        return bytes(data)

    @property
    def _path(self) -> str:
        """A job may have any text for its id."""
        return f"api/jobs/{quote(self._id, safe='')}/logs"

    def _refused(self, status: int, data: bytes) -> VerbError:
        said = data.decode(errors="replace").strip().partition("\n")[0]
        # A page, or JSON, is for programs.
        said = said[:_LONGEST_REASON] if said and said[0] not in "<{[" else f"HTTP {status}"
        if status == 404:
            return MissingError(f"Ray knows nothing of {self._found.job.name} any more: {said}")
        if status in (401, 403):
            # Another token does not come by waiting.
            return ForbiddenError(
                f"Ray's dashboard refuses the token of {self._found.job.name}: {said}; nearest: "
                "the RayCluster's own, by spec.authOptions"
            )
        if status < _FAILED:
            # It would answer the next request as it has this one.
            return VerbError(
                f"what answers for {self._found.job.name} is no dashboard of Ray's: {said}; "
                f"nearest: {_OF_PODS}"
            )
        return LostError(f"Ray's dashboard cannot answer: {said}")

    def _last(self, lines: Iterable[str], tail: int | None) -> Iterator[Line]:
        return (self._line(text) for text in (lines if tail is None else deque(lines, tail)))

    def _line(self, text: str) -> Line:
        return Line(role=DRIVER, time="", text=text)


def _said(socket: WebSocket) -> Iterator[str]:
    """Until it is closed. A job may be silent for long: then Ray is asked whether it is there."""
    was_asked = False
    while True:
        try:
            kind, data = socket.recv_data(control_frame=True)
        except WebSocketTimeoutException:
            if was_asked:
                raise
            socket.ping()
            was_asked = True
            continue
        was_asked = False
        if kind == ABNF.OPCODE_CLOSE:
            return
        if kind in (ABNF.OPCODE_TEXT, ABNF.OPCODE_BINARY):
            yield data.decode(errors="replace")


class _Way:
    """To the dashboard of the job's Ray cluster, over a port of this machine."""

    def __init__(self, cluster: Cluster, found: Found) -> None:
        self._cluster = cluster
        self._found = found

    def address(self) -> str:
        return self._opened

    def token(self) -> str | None:
        return self._read

    @cached_property
    def _read(self) -> str | None:
        name = str(dig(self._found.obj, "status", "rayClusterName") or "")
        ray = self._cluster.get(RAY_CLUSTER, self._found.job.namespace, name) if name else None
        return None if ray is None else ray_token(self._cluster, ray)

    @cached_property
    def _opened(self) -> str:
        namespace = self._found.job.namespace
        # KubeRay v1.4.2 rayjob_controller.go: HOST:PORT, the host beginning with the service.
        url = str(dig(self._found.obj, "status", "dashboardURL") or "")
        host, _, port = url.removeprefix("http://").rpartition(":")
        if not host:
            raise LostError(f"{self._found.job.name} has no Ray cluster that is up")
        asked = f"{namespace}/{host.partition('.')[0]}:{port}"
        tunnel = Tunnel(self._cluster, find_service(self._cluster, [namespace], asked), _silent)
        listener = tunnel.open(None)
        threading.Thread(target=tunnel.serve, args=(listener,), daemon=True).start()
        here, number = listener.getsockname()
        return f"{here}:{number}"


def _silent(_: str) -> None:
    """Who reads is told by the log itself."""
