"""Cloud Storage's calls over HTTP, as many as Cloud Storage FUSE makes.

Sources: the JSON API's discovery document; what the client sends is
googleapis/google-cloud-go storage/http_client.go (v1.61.3) and googleapis/google-api-go-client
internal/gensupport/resumable.go (v0.280.0): reads are the XML API's, and an upload in pieces says
that it goes on by a header in place of status 308.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.workloads.mounts.bucket import PAGE, Bucket, RefusedError, StoredObject, Wanted

SESSION = "/upload/session/"


@dataclass(frozen=True)
class Upload:
    """One in pieces; the object is there when the last one is."""

    name: str
    metadata: Mapping[str, str]
    wanted: Wanted
    content: Path


class StorageHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and bodies are written apart, and each would wait for the other's acknowledgement.
    disable_nagle_algorithm = True
    bucket: Bucket
    uploads: dict[str, Upload]

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def do_PATCH(self) -> None:
        self._answer(self._patch)

    def do_DELETE(self) -> None:
        self._answer(self._delete)

    def _answer(self, call: Any) -> None:
        split = urlsplit(self.path)
        self.words = [unquote(it) for it in split.path.strip("/").split("/")]
        self.asked = {key: values[0] for key, values in parse_qs(split.query).items()}
        self.sent = self._body()
        try:
            found = call()
        except RefusedError as error:
            told = {"error": {"code": error.status, "message": str(error)}}
            return self._send(error.status, told)
        return None if found is None else self._send(HTTPStatus.OK, found)

    def _get(self) -> dict[str, Any] | None:
        match self.words:
            case ["b", _, "o"]:
                return self._list()
            case ["b", _, "o", name]:
                return self._resource(self.bucket.find(name, self._number("generation")))
            case [_, name]:
                return self._send_content(self.bucket.find(name, self._number("generation")))
            case _:
                raise RefusedError(HTTPStatus.NOT_IMPLEMENTED, self.path)

    def _post(self) -> dict[str, Any] | None:
        match self.words:
            case ["upload", "storage", "v1", "b", _, "o"]:
                return self._begin_upload()
            case ["upload", "session", which]:
                return self._go_on(which)
            case ["b", _, "o", source, "rewriteTo", "b", _, "o", target]:
                made = self.bucket.copy(source, target, self._number("sourceGeneration"))
                size = str(made.size)
                told = {"kind": "storage#rewriteResponse", "done": True, "objectSize": size}
                copied = {"totalBytesRewritten": size, "resource": self._resource(made)}
                return told | copied
            case ["b", _, "o", source, "moveTo", "o", target]:
                number = self._number("ifSourceMetagenerationMatch")
                wanted = Wanted(self._number("ifSourceGenerationMatch"), number)
                return self._resource(self.bucket.move(source, target, wanted))
            case ["b", _, "o", target, "compose"]:
                given = json.loads(self.sent)
                sources = [it["name"] for it in given["sourceObjects"]]
                metadata = (given.get("destination") or {}).get("metadata") or {}
                made = self.bucket.compose(sources, target, metadata, self._wanted())
                return self._resource(made)
            case _:
                raise RefusedError(HTTPStatus.NOT_IMPLEMENTED, self.path)

    def _patch(self) -> dict[str, Any]:
        metadata = json.loads(self.sent).get("metadata") or {}
        return self._resource(self.bucket.update(self.words[-1], metadata, self._wanted()))

    def _delete(self) -> dict[str, Any]:
        self.bucket.delete(self.words[-1], self._number("generation"), self._wanted())
        return {}

    def _list(self) -> dict[str, Any]:
        listing = self.bucket.listed(
            self.asked.get("prefix", ""),
            self.asked.get("delimiter", ""),
            folders=self.asked.get("includeFoldersAsPrefixes") == "true",
            both=self.asked.get("includeTrailingDelimiter") == "true",
        )
        most = min(self._number("maxResults") or PAGE, PAGE)
        return listing.page(self.bucket.name, self.asked.get("pageToken", ""), most)

    def _begin_upload(self) -> dict[str, Any] | None:
        content = self.bucket.new_file()
        if self.asked["uploadType"] == "resumable":
            upload = self._upload(json.loads(self.sent), content)
            content.touch()
            which = uuid.uuid4().hex
            self.uploads[which] = upload
            here = f"http://{self.headers['Host']}{SESSION}{which}"
            return self._send(HTTPStatus.OK, {}, Location=here)
        boundary = self.headers["Content-Type"].partition("boundary=")[2].encode()
        _, described, media, _ = self.sent.split(b"--" + boundary)
        upload = self._upload(json.loads(described.partition(b"\r\n\r\n")[2]), content)
        content.write_bytes(media.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n"))
        return self._finish(upload)

    def _upload(self, described: Mapping[str, Any], content: Path) -> Upload:
        metadata = described.get("metadata") or {}
        return Upload(self.asked["name"], metadata, self._wanted(), content)

    def _go_on(self, which: str) -> dict[str, Any] | None:
        upload = self.uploads[which]
        span, _, total = self.headers["Content-Range"].removeprefix("bytes ").partition("/")
        with upload.content.open("r+b") as file:
            file.seek(0 if span == "*" else int(span.partition("-")[0]))
            file.write(self.sent)
        if total != "*":
            return self._finish(upload)
        more = {"X-Http-Status-Code-Override": "308", "Range": f"bytes=0-{span.partition('-')[2]}"}
        return self._send(HTTPStatus.OK, {}, **more)

    def _finish(self, upload: Upload) -> dict[str, Any]:
        made = self.bucket.put(upload.name, upload.content, upload.metadata, upload.wanted)
        return self._resource(made)

    def _send_content(self, found: StoredObject) -> None:
        size = found.size
        first, last = 0, size - 1
        if asked := self.headers.get("Range"):
            given = asked.removeprefix("bytes=").partition("-")
            first, last = int(given[0]), min(int(given[2] or last), last)
        self.send_response(HTTPStatus.PARTIAL_CONTENT if asked else HTTPStatus.OK)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(last - first + 1))
        self.send_header("X-Goog-Generation", str(found.generation))
        self.send_header("X-Goog-Metageneration", str(found.metageneration))
        self.end_headers()
        with found.content.open("rb") as file:
            self.connection.sendfile(file, first, last - first + 1)

    def _send(self, status: HTTPStatus, told: Mapping[str, Any], **headers: str) -> None:
        body = json.dumps(told).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pieces: list[bytes] = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _resource(self, found: StoredObject) -> dict[str, Any]:
        return found.resource(self.bucket.name)

    def _wanted(self) -> Wanted:
        return Wanted(self._number("ifGenerationMatch"), self._number("ifMetagenerationMatch"))

    def _number(self, key: str) -> int | None:
        return int(self.asked[key]) if key in self.asked else None
