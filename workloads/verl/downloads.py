"""Files from the web onto a local disk, with retries."""

import http.client
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import BaseHandler, Request, build_opener

WAITS = (0, 1, 2, 4, 8, 16)  # before each attempt, in units of --retry-delay
TIMEOUT_SECONDS = 60
CHUNK = 8 * 2**20
NETWORK = (URLError, ConnectionError, TimeoutError, http.client.HTTPException)
REASONS = {  # these stay as they are; any other answer may be better the next time
    401: "there is no such model, or HF_TOKEN is not set, or not valid",
    403: "HF_TOKEN gives no access; accept the model's terms with its account",
    404: "there is no such thing",
}


class PrepareError(Exception):
    """What a person has to put right, in one line."""


@dataclass(eq=False)
class Web(BaseHandler):
    """GET into files, with retries. The token goes to the hub, not to hosts it redirects to."""

    wanted: str
    delay: float  # the first wait, in seconds
    hub: str = ""
    token: str = ""

    def http_request(self, request: Request) -> Request:
        if self.token and request.full_url.startswith(f"{self.hub}/"):
            request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        return request

    https_request = http_request

    def fetch(self, url: str, to: Path, size: int = 0) -> None:
        """With a size, `to` may hold the first bytes already."""
        problem = ""
        for wait in WAITS:
            time.sleep(wait * self.delay)
            try:
                return self._stream(url, to, size)
            except HTTPError as error:
                problem = f"HTTP {error.code}: {REASONS.get(error.code, error.reason)}"
                if error.code in REASONS:
                    break
            except NETWORK as error:
                problem = str(error) or type(error).__name__
        raise PrepareError(f"{self.wanted}: {problem} ({url})")

    def _stream(self, url: str, to: Path, size: int) -> None:
        request = Request(url, headers={"User-Agent": "gke-ai-stacks"})
        if 0 < size_of(to) < size:
            request.add_header("Range", f"bytes={size_of(to)}-")
        with build_opener(self).open(request, timeout=TIMEOUT_SECONDS) as response:
            with to.open("ab" if response.status == 206 else "wb") as out:
                shutil.copyfileobj(response, out, CHUNK)
            expected = size or int(response.headers.get("Content-Length", size_of(to)))
        if size_of(to) != expected:
            raise ConnectionError(f"{size_of(to)} of {expected} bytes came")


def size_of(path: Path) -> int:
    """In bytes; -1 for what is no file."""
    return path.stat().st_size if path.is_file() else -1


def check_space(option: str, disk: Path, needed: int) -> None:
    if (free := shutil.disk_usage(disk).free) < needed:
        raise PrepareError(f"{option} {disk}: {needed} bytes needed, {free} are free")


def inside(folder: Path, name: str) -> Path:
    if name.startswith("/") or ".." in name.split("/"):
        raise PrepareError(f"{name!r}: a file name that leads out of {folder}")
    return folder / name
