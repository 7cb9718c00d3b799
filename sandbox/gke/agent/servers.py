"""The agent's three HTTP servers, each in a thread on loopback."""

from __future__ import annotations

import base64
import json
import ssl
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from kube.objects import JsonObject
from sandbox.gke.agent.webhooks import Webhooks, answer

# Method, path with query, body, and what X-Ray-Authorization says; status and body, where None is
# no body.
Respond = Callable[[str, str, bytes, str], tuple[int, JsonObject | None]]


def serve(port: int, respond: Respond, certificate: ssl.SSLContext | None = None) -> None:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _respond(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            token = self.headers.get("X-Ray-Authorization") or ""
            status, body = respond(self.command, self.path, self.rfile.read(length), token)
            text = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_GET(self) -> None:
            self._respond()

        def do_POST(self) -> None:
            self._respond()

        def do_DELETE(self) -> None:
            self._respond()

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    if certificate is not None:
        # A client that opens a connection and says nothing must hold up no other.
        server.socket = certificate.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    threading.Thread(target=server.serve_forever, daemon=True).start()


def certificate_in(folder: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "agent.crt", folder / "agent.key")
    return context


def reviewing(webhooks: Webhooks) -> Respond:
    def respond(method: str, path: str, body: bytes, token: str) -> tuple[int, JsonObject | None]:
        del method, token
        # The API server adds its time limit as a query.
        handler = webhooks.handlers.get(path.partition("?")[0])
        if handler is None:
            return 404, None
        review = json.loads(body)
        request = review["request"]
        try:
            response = answer(request, handler(request))
        except Exception as error:
            print(f"webhook {path}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            return 500, None
        if "patch" in response:
            patch = json.dumps(response["patch"]).encode()
            response["patch"] = base64.b64encode(patch).decode()
        return 200, {
            "apiVersion": review["apiVersion"],
            "kind": review["kind"],
            "response": response,
        }

    return respond


def health(is_ready: threading.Event) -> Respond:
    def respond(method: str, path: str, body: bytes, token: str) -> tuple[int, JsonObject | None]:
        del method, body, token
        if path.startswith("/readyz") and not is_ready.is_set():
            return 503, {"status": "starting"}
        return 200, {"status": "ok"}

    return respond
