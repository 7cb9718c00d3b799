"""Cloud Storage's calls for folders, which are gRPC alone.

Source: google/storage/control/v2/storage_control.proto of googleapis/googleapis, by the Go client
that Cloud Storage FUSE has (googleapis/google-cloud-go storage v1.61.3, control/apiv2): of each
message the fields that are read here are texts, so the few lines below stand in for its classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import grpc

from tests.workloads.mounts.bucket import Bucket, RefusedError

_SERVICE = "/google.storage.control.v2.StorageControl/"
_FOLDER = "type.googleapis.com/google.storage.control.v2.Folder"
_CODES = {
    HTTPStatus.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    HTTPStatus.CONFLICT: grpc.StatusCode.ALREADY_EXISTS,
    HTTPStatus.PRECONDITION_FAILED: grpc.StatusCode.FAILED_PRECONDITION,
}


class FolderCalls(grpc.GenericRpcHandler):
    def __init__(self, bucket: Bucket) -> None:
        self.bucket = bucket
        self.calls = {
            "GetStorageLayout": self._layout,
            "GetFolder": self._get,
            "CreateFolder": self._create,
            "DeleteFolder": self._delete,
            "RenameFolder": self._rename,
        }

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        call = self.calls[handler_call_details.method.removeprefix(_SERVICE)]

        def answer(request: bytes, context: grpc.ServicerContext) -> bytes:
            try:
                return call(dict(_texts(request)))
            except RefusedError as error:
                context.abort(_CODES[error.status], str(error))
                raise

        return grpc.unary_unary_rpc_method_handler(answer)

    def _layout(self, asked: dict[int, str]) -> bytes:
        real = _field(5, _number(1, 1)) if self.bucket.hierarchical else b""
        return _field(1, asked[1].encode()) + _field(3, b"region") + real

    def _get(self, asked: dict[int, str]) -> bytes:
        self.bucket.find_folder(_name(asked[6]))
        return self._folder(_name(asked[6]))

    def _create(self, asked: dict[int, str]) -> bytes:
        self.bucket.make_folder(asked[3])
        return self._folder(asked[3])

    def _delete(self, asked: dict[int, str]) -> bytes:
        self.bucket.delete_folder(_name(asked[6]))
        return b""

    def _rename(self, asked: dict[int, str]) -> bytes:
        """An operation that is done already."""
        self.bucket.rename_folder(_name(asked[7]), asked[8])
        folder = _field(1, _FOLDER.encode()) + _field(2, self._folder(asked[8]))
        return _field(1, b"rename") + _number(3, 1) + _field(5, folder)

    def _folder(self, name: str) -> bytes:
        whole = f"projects/_/buckets/{self.bucket.name}/folders/{name}"
        return _field(1, whole.encode()) + _number(3, 1)


def served(bucket: Bucket) -> tuple[grpc.Server, int]:
    server = grpc.server(ThreadPoolExecutor(8), handlers=[FolderCalls(bucket)])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


def _name(folder: str) -> str:
    return folder.partition("/folders/")[2]


def _texts(message: bytes) -> Iterator[tuple[int, str]]:
    """Fields by their number; plain numbers are left out."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        size, at = _varint(message, at)
        if key & 7 == 2:
            yield key >> 3, message[at : at + size].decode()
            at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _number(field: int, value: int) -> bytes:
    return bytes([field << 3]) + _size(value)


def _field(field: int, content: bytes) -> bytes:
    return bytes([field << 3 | 2]) + _size(len(content)) + content


def _size(value: int) -> bytes:
    low, high = value & 127, value >> 7
    return bytes([low | 128]) + _size(high) if high else bytes([low])
