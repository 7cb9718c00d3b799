"""A stand-in for Hugging Face's API and for the host of verl's source, with one small model."""

import hashlib
import io
import json
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote

MODEL = "owner/Tiny-Instruct"
SMALL = {".gitattributes": b"*.safetensors lfs", "config.json": b"{}", "sub/notes.txt": b"notes"}
LARGE = {f"model-{part}-of-2.safetensors": bytes([part]) * 6400 for part in (1, 2)}
PREPROCESS = """import os, sys
import verl
option, folder = sys.argv[1:]
assert option == "{option}" and not os.environ["HF_HOME"].startswith(os.environ["MOUNT"])
for split in ("train", "test"):
    with open(os.path.join(folder, split + ".parquet"), "w") as out:
        out.write("{text} " + split + " " + verl.__version__ + " ".join(sys.argv))
"""


def source(
    version: str, *modules: str, text: str = "gsm8k", option: str = "--local_save_dir"
) -> bytes:
    files = {
        "verl/__init__.py": f"__version__ = {version!r}",
        "examples/data_preprocess/gsm8k.py": PREPROCESS.format(text=text, option=option),
        **{f"verl/{module}.py": "" for module in modules},
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(f"verl-{version}/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content.encode()))
    return packed.getvalue()


@dataclass
class Hub:
    """What is served; `requests` are (path, Range) of everything that was asked for."""

    commits: dict[str, dict[str, bytes]] = field(default_factory=lambda: {"main": SMALL | LARGE})
    tags: dict[str, bytes] = field(default_factory=lambda: {"v1": source("1", "old")})
    cuts: dict[str, int] = field(default_factory=dict[str, int])
    refusals: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    corrupt: set[str] = field(default_factory=set[str])
    far: str = ""
    requests: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    tokens: dict[str, str] = field(default_factory=dict[str, str])

    def info(self, revision: str) -> bytes:
        siblings: list[object] = []
        for name, content in self.commits[revision].items():
            blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            large = {"sha256": hashlib.sha256(content).hexdigest()} if name in LARGE else None
            size = self.sizes.get(name, len(content))
            siblings.append({"rfilename": name, "size": size, "blobId": blob, "lfs": large})
        return json.dumps({"sha": f"commit-of-{revision}", "siblings": siblings}).encode()

    def asked(self) -> list[str]:
        return [path.rpartition("/")[2] for path, _ in self.requests if "/resolve/" in path]


class Handler(BaseHTTPRequestHandler):
    hub: Hub

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        path, name = unquote(self.path.partition("?")[0]), self.path.rpartition("/")[2]
        byte_range = self.headers.get("Range", "")
        self.hub.requests.append((path, byte_range))
        self.hub.tokens[path] = self.headers.get("Authorization", "")
        for part, codes in self.hub.refusals.items():
            if part in path and codes:
                return self.send_error(codes.pop(0))
        if self.hub.far and "/resolve/" in path and not path.startswith("/far/"):
            self.send_response(302)
            self.send_header("Location", f"{self.hub.far}/far{self.path}")
            return self.end_headers()
        content = self._content(path)
        if content is None:
            return self.send_error(404)
        start = int(byte_range.removeprefix("bytes=").removesuffix("-") or 0)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        body = content[start:]
        if self.hub.cuts.get(name, 0):
            self.hub.cuts[name] -= 1
            body = body[: len(body) // 2]
        self.wfile.write(body)
        return None

    def _content(self, path: str) -> bytes | None:
        if path.startswith("/code/"):
            return self.hub.tags.get(path.removeprefix("/code/"))
        if path.startswith(f"/api/models/{MODEL}/revision/"):
            revision = path.rpartition("/revision/")[2]
            return self.hub.info(revision) if revision in self.hub.commits else None
        commit, _, name = path.partition("/resolve/")[2].partition("/")
        content = self.hub.commits.get(commit.removeprefix("commit-of-"), {}).get(name)
        return content and (b"?" * len(content) if name in self.hub.corrupt else content)


def tree_of(archive: bytes) -> str:
    """What git itself calls the archive's files."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")
        (inner,) = Path(folder).iterdir()
        for command in (["init", "-q"], ["add", "--all"]):
            subprocess.run(["git", *command], cwd=inner, check=True)
        done = subprocess.run(["git", "write-tree"], cwd=inner, check=True, capture_output=True)
        return done.stdout.decode().strip()
