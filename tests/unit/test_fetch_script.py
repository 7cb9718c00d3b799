"""The script that brings a data set into a bucket, run for real: a folder for the bucket, and a
server of the test's own for the one of the data set."""

import hashlib
import io
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

SCRIPT = ROOT / "workloads" / "datasets" / "fetch.py"
FILES = {"set/train.bin": b"\0\1\2", "set/labels/names.txt": b"cat\n"}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        del format, args


def archive_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


class Place:
    """A server, and the folder that stands in for the bucket."""

    def __init__(self, served: Path, port: int, bucket: Path) -> None:
        self.bucket = bucket
        self._served, self._port = served, port

    def serve(self, content: bytes) -> tuple[str, str]:
        """Its URL and its digest."""
        (self._served / "set.tar.gz").write_bytes(content)
        url = f"http://127.0.0.1:{self._port}/set.tar.gz"
        return url, hashlib.sha256(content).hexdigest()

    def fetch(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(SCRIPT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    @property
    def files(self) -> dict[str, bytes]:
        found = (it for it in self.bucket.rglob("*") if it.is_file())
        return {it.relative_to(self.bucket).as_posix(): it.read_bytes() for it in found}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    served, bucket = tmp_path / "served", tmp_path / "bucket"
    served.mkdir()
    bucket.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=served)) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield Place(served, server.server_port, bucket)
        server.shutdown()


def test_a_data_set_is_unpacked_into_the_bucket_and_its_digest_written(place: Place) -> None:
    url, digest = place.serve(archive_of(FILES))
    done = place.fetch(url, digest, str(place.bucket))
    assert done.stdout == f"set.tar.gz: 2 files are in {place.bucket}\n"
    assert place.files == {**FILES, "set.tar.gz.sha256": f"{digest}\n".encode()}


def test_what_is_there_is_not_fetched_again(place: Place) -> None:
    url, digest = place.serve(archive_of(FILES))
    place.fetch(url, digest, str(place.bucket))
    place.serve(b"gone")
    again = place.fetch(url, digest, str(place.bucket))
    assert (again.returncode, again.stdout) == (
        0,
        f"set.tar.gz: is in {place.bucket} already\n",
    )


def test_one_that_was_cut_is_fetched_again(place: Place) -> None:
    url, digest = place.serve(archive_of(FILES))
    place.fetch(url, digest, str(place.bucket))
    (place.bucket / "set.tar.gz.sha256").unlink()
    (place.bucket / "set" / "train.bin").write_bytes(b"\0")
    place.fetch(url, digest, str(place.bucket))
    assert place.files["set/train.bin"] == FILES["set/train.bin"]


@pytest.mark.parametrize(
    ("content", "digest", "said"),
    [
        (archive_of(FILES), "0" * 64, "not " + "0" * 64),
        (b"no archive", None, "nearest: a tar archive"),
        (archive_of({"../outside": b"x"}), None, "outside the destination"),
    ],
)
def test_another_archive_than_the_one_asked_for_leaves_the_bucket_as_it_was(
    place: Place, content: bytes, digest: str | None, said: str
) -> None:
    url, its_own = place.serve(content)
    failed = place.fetch(url, digest or its_own, str(place.bucket))
    assert failed.returncode == 1
    assert failed.stderr.startswith("error: ")
    assert said in failed.stderr
    assert "Traceback" not in failed.stderr
    assert place.files == {}


@pytest.mark.parametrize(
    "arguments",
    [[], ["http://127.0.0.1:1/set.tar.gz", "0" * 64, "."], ["set.tar.gz", "0" * 64, "."]],
)
def test_what_cannot_be_fetched_is_said_in_one_line(place: Place, arguments: list[str]) -> None:
    failed = place.fetch(*arguments)
    assert failed.returncode == 1
    (line,) = failed.stderr.splitlines()
    assert "; nearest: " in line


def test_the_laboratory_gives_it_what_it_takes() -> None:
    config = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())["config"]
    stack = config["gke-ai-stacks:stack"]
    job = stack["jobs"]["cifar-10"]
    assert ROOT / job["file"] == SCRIPT
    interpreter, script, url, digest, folder = job["command"]
    assert (interpreter, script) == ("python3", f"$(SCRIPT_DIR)/{SCRIPT.name}")
    assert url.startswith("https://")
    assert len(bytes.fromhex(digest)) == 32
    assert folder in [stack["buckets"][key]["mount_path"] for key in job["mounts"]]
