"""A server on this machine, in place of one in a pod: it gives back what it is given."""

from __future__ import annotations

import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.kube.conftest import PATIENCE_SECONDS


class _Echo(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test says what it saw."""


@contextmanager
def echo() -> Iterator[int]:
    """Its port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def answer(url: str, body: bytes, **headers: str) -> bytes:
    """Raises HTTPError for what is refused."""
    asked = urllib.request.Request(url, body, headers)
    with urllib.request.urlopen(asked, timeout=PATIENCE_SECONDS) as found:
        return found.read()
