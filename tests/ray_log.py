"""What Ray's job API says of one job's log: all that was printed, and a websocket that follows.
As Ray 2.56.0 does, python/ray/dashboard/modules/job/job_head.py."""

from __future__ import annotations

import base64
import hashlib
import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# RFC 6455.
_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_TEXT, _CLOSE = 0x81, 0x88
_SHORT = 125


class RayLog(ThreadingHTTPServer):
    """Of the job `job`; any other is not known. Whoever listens hears what is printed from the
    beginning, until it ends or breaks off. With a `token` it answers who brings that, alone
    (python/ray/_private/authentication/http_token_authentication.py)."""

    daemon_threads = True

    def __init__(self, job: str, token: str | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Dashboard)
        self.job = job
        self.token = token
        self.has_ended = False
        self._parts: list[bytes] = []
        self._listeners: list[queue.Queue[bytes | None]] = []
        self._lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def printed(self) -> str:
        return b"".join(self._parts).decode(errors="replace")

    def say(self, text: str) -> None:
        with self._lock:
            self._parts.append(text.encode())
            for it in self._listeners:
                it.put(text.encode())

    def end(self) -> None:
        """Of the job."""
        with self._lock:
            self.has_ended = True
            self._close(None)

    def break_off(self) -> None:
        """Of all that listen."""
        with self._lock:
            self._close(b"")

    def listener(self) -> queue.Queue[bytes | None]:
        """What there is and what comes; at the end of the job None, else nothing more."""
        with self._lock:
            made = queue.Queue[bytes | None]()
            for it in self._parts:
                made.put(it)
            if self.has_ended:
                made.put(None)
            self._listeners.append(made)
            return made

    def _close(self, last: bytes | None) -> None:
        for it in self._listeners:
            it.put(last)
        self._listeners.clear()


class _Dashboard(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        log = self.server
        assert isinstance(log, RayLog)
        place = f"/api/jobs/{log.job}/logs"
        given = self.headers["Authorization"]
        if log.token is not None and given is None:
            self.send_error(401, "Unauthorized: Missing authentication token")
        elif log.token is not None and given != f"Bearer {log.token}":
            self.send_error(403, "Forbidden: Invalid authentication token")
        elif self.path == f"{place}/tail":
            self._follow(log)
        elif self.path == place:
            body = json.dumps({"logs": log.printed}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        else:
            self.send_error(404, "does not exist")

    def _follow(self, log: RayLog) -> None:
        accepted = hashlib.sha1(
            (self.headers["Sec-WebSocket-Key"] + _MAGIC).encode(), usedforsecurity=False
        ).digest()
        self.send_response_only(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(accepted).decode())
        self.end_headers()
        self.close_connection = True
        parts = log.listener()
        while part := parts.get():
            self._send(_TEXT, part)
        if part is None:
            self._send(_CLOSE, b"")

    def _send(self, kind: int, data: bytes) -> None:
        """One frame, which a server does not mask."""
        size = len(data)
        header = bytes((kind, size)) if size <= _SHORT else bytes((kind, 127)) + size.to_bytes(8)
        self.wfile.write(header + data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what it would print is nobody's concern."""
