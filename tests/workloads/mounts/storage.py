"""Cloud Storage with one bucket, at one address.

Cloud Storage FUSE has one option for the address of all its calls: those for objects are HTTP/1.1,
those for folders gRPC. So what a connection begins with says whose it is.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

from tests.workloads.mounts.bucket import Bucket
from tests.workloads.mounts.folders import served
from tests.workloads.mounts.json_api import StorageHandler

_HTTP2 = b"PRI"


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    grpc_port = 0

    def finish_request(self, request: Any, client_address: Any) -> None:
        if request.recv(len(_HTTP2), socket.MSG_PEEK) == _HTTP2:
            with socket.create_connection(("127.0.0.1", self.grpc_port)) as other:
                threading.Thread(target=_copy, args=(other, request), daemon=True).start()
                _copy(request, other)
        else:
            super().finish_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is killed says nothing more."""


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@contextmanager
def storage(bucket: Bucket) -> Iterator[str]:
    """Its address."""
    handler = type("OneBucket", (StorageHandler,), {"bucket": bucket, "uploads": {}})
    folders, port = served(bucket)
    with _Server(("127.0.0.1", 0), handler) as server:
        server.grpc_port = port
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            folders.stop(None)
