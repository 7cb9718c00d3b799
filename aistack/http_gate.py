"""Which HTTP requests a port of this machine lets through: those of a page that this machine has.

A browser lets every web page send requests to 127.0.0.1. A page whose name first leads to its own
server and then to 127.0.0.1 (DNS rebinding) even reads the answers, and Ray runs what a request
says (github/advisory-database GHSA-q279-jhrf-cc6v, CVE-2025-62593). The `Host` of such a request is
the page's own name, and of a request that a page sends to another name the browser adds the page's
`Origin`. linkerd's dashboard keeps to the same names, at any port (linkerd/linkerd2 #3083, #3644):
the way here may begin at another port, as that of `ssh -L` does.

A connection carries one request: `Connection: close` has the server read no second one (RFC 9112,
section 9.6), so no request passes that was not looked at. A WebSocket stays open, once its server
has agreed. What does not begin as HTTP/1 goes through as it is: a browser sends nothing else in
plain text.
"""

import re

from aistack.errors import VerbError

_OF_THIS_MACHINE = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d+)?", re.IGNORECASE)
_MOST_BYTES = 64 * 1024
_END = b"\r\n\r\n"
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST = re.compile(rb"(" + _TOKEN + rb") ([^ ]+) HTTP/1\.[01]\r?")
_HEADER = re.compile(rb"(" + _TOKEN + rb"):[ \t]*([^\r\n\0]*?)[ \t]*")
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})(?= |$)")


class RefusedError(VerbError):
    """A request that does not get through; `answer` is what its sender reads."""

    @property
    def answer(self) -> bytes:
        body = f"{self}\n".encode(errors="replace")
        head = (
            "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        return head.encode() + body


class HttpGate:
    """One connection."""

    def __init__(self) -> None:
        self._head: bytes | None = b""
        self._asked_for_websocket = False
        self._waits_for_answer = False
        self._answer = b""

    def request(self, data: bytes) -> bytes:
        """What of the caller's bytes goes to the server now. Raises RefusedError, and OSError where
        the connection is over."""
        if self._asked_for_websocket:
            # Where the answer ends nobody has looked, so what comes now may be another request.
            raise ConnectionAbortedError("the server has not agreed to a WebSocket")
        if self._head is None:
            return data
        self._head += data
        line, ended, _ = self._head.partition(b"\n")
        if not (_REQUEST.fullmatch(line) if ended else _may_be_http(line)):
            return self._all()
        if _END in self._head:
            head, _, rest = self._all().partition(_END)
            return self._looked_at(head) + rest
        if len(self._head) > _MOST_BYTES:
            raise RefusedError(f"the request's headers have more than {_MOST_BYTES} bytes")
        return b""

    def answer(self, data: bytes) -> bytes:
        """What of the server's bytes the caller reads now: of HTTP, that this was all."""
        if not self._waits_for_answer:
            return data
        self._answer += data
        line, ended, rest = self._answer.partition(b"\r\n")
        if not ended and b"HTTP/1.".startswith(line[:7]) and len(line) < _MOST_BYTES:
            return b""
        said, self._answer = self._answer, b""
        status = _STATUS.match(line)
        if status is not None and status[1] != b"101" and status[1].startswith(b"1"):
            head, whole, rest = said.partition(_END)
            if not whole:
                self._answer = said
                return b""
            return head + _END + self.answer(rest)
        self._waits_for_answer = False
        if status is None:
            return said
        if self._asked_for_websocket and status[1] == b"101":
            self._asked_for_websocket = False
            return said
        return line + b"\r\nConnection: close\r\n" + rest

    def _all(self) -> bytes:
        head, self._head = self._head or b"", None
        return head

    def _looked_at(self, head: bytes) -> bytes:
        first, *lines = head.split(b"\r\n")
        request = _REQUEST.fullmatch(first)
        pairs = [_HEADER.fullmatch(line) for line in lines]
        if request is None or not all(pairs):
            raise RefusedError("the request's headers are not as RFC 9112 has them")
        headers = [(it[1].lower(), it[2]) for it in pairs if it]
        self._check(request[2].decode("latin-1"), headers)
        self._waits_for_answer = True
        connection = _values(headers, b"connection").lower()
        if b"upgrade" in connection and _values(headers, b"upgrade").lower() == b"websocket":
            self._asked_for_websocket = True
            return head + _END
        dropped = (b"connection", b"keep-alive", b"proxy-connection", b"upgrade")
        kept = [it for it, (name, _) in zip(lines, headers, strict=True) if name not in dropped]
        return b"\r\n".join([first, *kept, b"Connection: close"]) + _END

    def _check(self, target: str, headers: list[tuple[bytes, bytes]]) -> None:
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
        if not target.startswith("/") and target != "*":
            raise RefusedError(f'target: "{target}" names a server of its own; nearest: a path')
        if len(hosts) != 1 or not _OF_THIS_MACHINE.fullmatch(hosts[0]):
            raise RefusedError(
                f'Host: "{", ".join(hosts)}" is no name of this machine, so the request is of a '
                "web page of somebody else (DNS rebinding); nearest: 127.0.0.1"
            )
        for origin in origins:
            if origin != f"http://{hosts[0]}":
                raise RefusedError(
                    f'Origin: "{origin}" is another web page than this port\'s own; '
                    f"nearest: http://{hosts[0]}"
                )


def _may_be_http(line: bytes) -> bool:
    """Whether a line that has not ended can still become a request's first line."""
    method = line.partition(b" ")[0]
    return len(line) <= _MOST_BYTES and re.fullmatch(_TOKEN, method or b"A") is not None


def _values(headers: list[tuple[bytes, bytes]], name: bytes) -> bytes:
    return b",".join(value for key, value in headers if key == name)
