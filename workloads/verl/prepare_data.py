"""Fills a mounted bucket with what a verl training reads: verl's source, its data set, the model.

Needs Python 3.10, and what verl's own script for the data set imports. A part that is done has a
marker, `.prepared/PART.json`, which says what it was made from; the same again is left alone. The
environment gives HF_ENDPOINT and, for models that need it, HF_TOKEN.
"""

import argparse
import hashlib
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import BaseHandler, Request, build_opener

CODE_URL = "https://github.com/volcengine/verl/archive/refs/tags/{tag}.tar.gz"
HUB = "https://huggingface.co"
WAITS = (0, 1, 2, 4, 8, 16)  # before each attempt, in units of --retry-delay
TIMEOUT_SECONDS = 60
CHUNK = 8 * 2**20
WRITERS = 16  # verl is a thousand small files, and each costs round trips to the bucket
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


@dataclass(frozen=True)
class ModelFile:
    """`checksum` is the SHA-256 of a large file, and git's blob id of a small one."""

    name: str
    size: int
    checksum: str

    def is_at(self, path: Path) -> bool:
        if size_of(path) != self.size:
            return False
        large = len(self.checksum) == 64
        digest = hashlib.sha256() if large else hashlib.sha1(b"blob %d\0" % self.size)
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
        return digest.hexdigest() == self.checksum


def is_done(marker: Path, made_from: dict[str, str]) -> bool:
    """Takes the marker away if it says something else."""
    text = marker.read_bytes() if marker.is_file() else b"{}"
    held: dict[str, dict[str, object]] = json.loads(text)
    mount, sizes = marker.parent.parent, held.get("files", {})
    there = all(size_of(mount / name) == size for name, size in sizes.items())
    if there and held.get("made_from") == made_from:
        return True
    print(f"{marker.stem}: to be made", flush=True)
    marker.unlink(missing_ok=True)
    return False


def finish(marker: Path, made_from: dict[str, str], files: Iterable[Path], **notes: str) -> None:
    """`files` are looked at again by every later run."""
    sizes = {file.relative_to(marker.parent.parent).as_posix(): size_of(file) for file in files}
    put(json.dumps({"made_from": made_from, **notes, "files": sizes}).encode(), marker)


def size_of(path: Path) -> int:
    """In bytes; -1 for what is no file."""
    return path.stat().st_size if path.is_file() else -1


def put(source: Path | bytes, target: Path) -> None:
    """One write from start to end, and the name only then: buckets know no other way."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    if isinstance(source, bytes):
        part.write_bytes(source)
    else:
        shutil.copyfile(source, part)
    part.replace(target)


def prune(folder: Path, keep: Iterable[Path]) -> None:
    """Takes away the files of another tag or revision."""
    for file in {file for file in folder.rglob("*") if file.is_file()} - {*keep}:
        file.unlink()


def check_space(option: str, disk: Path, needed: int) -> None:
    if (free := shutil.disk_usage(disk).free) < needed:
        raise PrepareError(f"{option} {disk}: {needed} bytes needed, {free} are free")


def inside(folder: Path, name: str) -> Path:
    if name.startswith("/") or ".." in name.split("/"):
        raise PrepareError(f"{name!r}: a file name that leads out of {folder}")
    return folder / name


def prepare_code(mount: Path, scratch: Path, web: Web, tag: str, template: str) -> None:
    url = template.format(tag=quote(tag, safe=""))
    marker, made_from = mount / ".prepared" / "code.json", {"tag": tag, "url": url}
    if is_done(marker, made_from):
        return
    archive = scratch / "code.tar.gz"
    web.fetch(url, archive)
    files: dict[Path, bytes] = {}
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar:
                if member.isfile() and (content := tar.extractfile(member)):
                    name = member.name.partition("/")[2]  # one folder holds all the rest
                    files[inside(mount / "verl", name)] = content.read()
    except (tarfile.TarError, EOFError) as error:
        raise PrepareError(f"{web.wanted}: no whole tar.gz: {error} ({url})") from None
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(put, files.values(), files))
    # Only the package: trainings keep their checkpoints beside it.
    prune(mount / "verl" / "verl", files)
    finish(marker, made_from, [])


def prepare_dataset(mount: Path, scratch: Path, name: str) -> None:
    script = mount / "verl" / "examples" / "data_preprocess" / f"{name}.py"
    if not script.is_file():
        known = ", ".join(sorted(file.stem for file in script.parent.glob("*.py")))
        raise PrepareError(f"--dataset {name}: not among this tag's scripts: {known}")
    text = script.read_bytes()
    made_from = {"dataset": name, "script_sha256": hashlib.sha256(text).hexdigest()}
    marker = mount / ".prepared" / "dataset.json"
    if is_done(marker, made_from):
        return
    folder = scratch / "dataset"
    folder.mkdir(exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_CACHE")}
    environment |= {"HF_HOME": str(folder / "cache"), "PYTHONPATH": str(mount / "verl")}
    option = "--local_save_dir" if b"--local_save_dir" in text else "--local_dir"  # before v0.6.0
    command = [sys.executable, "-B", str(script), option, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    made = [folder / f"{split}.parquet" for split in ("train", "test")]
    if done.returncode or any(size_of(file) < 1 for file in made):
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        why = f"{script.name} ended with {done.returncode}, or left parquet files out: {last}"
        raise PrepareError(f"--dataset {name}: {why}")
    for file in made:
        put(file, mount / name / file.name)
    finish(marker, made_from, [mount / name / file.name for file in made])
    shutil.rmtree(folder)


def list_files(answer: Path, web: Web) -> tuple[str, list[ModelFile]]:
    """The commit that a revision stands for, and its files; `answer` is the hub's, in JSON."""
    try:
        info = json.loads(answer.read_bytes())
        files: list[ModelFile] = []
        for item in info["siblings"]:
            checksum = item["lfs"]["sha256"] if item.get("lfs") else item["blobId"]
            files.append(ModelFile(item["rfilename"], item["size"], checksum))
        return info["sha"], files
    except (KeyError, TypeError, ValueError) as error:
        raise PrepareError(f"HF_ENDPOINT {web.hub}: no answer of a hub: {error!r}") from None


def prepare_model(mount: Path, scratch: Path, web: Web, model: str, revision: str) -> None:
    marker, made_from = mount / ".prepared" / "model.json", {"model": model, "revision": revision}
    if is_done(marker, made_from):
        return
    folder, answer = mount / model.rpartition("/")[2], scratch / "model.json"
    reference = f"{model}/revision/{quote(revision, safe='')}"
    web.fetch(f"{web.hub}/api/models/{reference}?blobs=true", answer)
    commit, files = list_files(answer, web)
    missing = [file for file in files if not file.is_at(inside(folder, file.name))]
    check_space("--mount", mount, sum(file.size for file in missing))
    for number, file in enumerate(missing, 1):
        print(f"model: {number}/{len(missing)} {file.name}, {file.size} bytes", flush=True)
        url = f"{web.hub}/{model}/resolve/{commit}/{quote(file.name)}"
        load(web, url, file, scratch, folder / file.name)
    paths = [folder / file.name for file in files]
    prune(folder, paths)
    finish(marker, made_from, paths, commit=commit)


def load(web: Web, url: str, file: ModelFile, scratch: Path, target: Path) -> None:
    """Through the scratch disk, where one unfinished file may lie, named after its content."""
    part = scratch / f"{file.checksum}.part"
    for other in {*scratch.glob("*.part")} - {part}:
        other.unlink()
    check_space("--scratch", scratch, file.size - max(size_of(part), 0))
    for _ in range(2):
        web.fetch(url, part, file.size)
        if file.is_at(part):
            put(part, target)
            return part.unlink()
        part.unlink()
    raise PrepareError(f"{url}: wrong checksum twice; it must be {file.checksum}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fills a bucket for verl.")
    parser.add_argument("--mount", type=Path, required=True, help="where the bucket is mounted")
    parser.add_argument("--code-tag", required=True, help="of verl, such as v0.6.1")
    parser.add_argument("--code-url", default=CODE_URL, help="of a tar.gz, with {tag} in it")
    parser.add_argument("--dataset", default="gsm8k", help="one of verl's examples/data_preprocess")
    parser.add_argument("--model", required=True, help="OWNER/NAME on the hub")
    parser.add_argument("--revision", default="main", help="of the model")
    parser.add_argument("--scratch", type=Path, required=True, help="on a local disk")
    parser.add_argument("--retry-delay", type=float, default=2, help="first wait, in seconds")
    return parser.parse_args()


def prepare(given: argparse.Namespace, token: str) -> None:
    if not re.fullmatch("[!-~]*", token):
        raise PrepareError("HF_TOKEN: has characters that no token has")
    if not re.fullmatch(r"[\w.-]+/[\w.-]*\w", given.model):
        raise PrepareError(f"--model {given.model}: is not of the form OWNER/NAME")
    if not given.mount.is_dir():
        raise PrepareError(f"--mount {given.mount}: there is no such folder; mount the bucket")
    scratch = given.scratch / "prepare_data"
    scratch.mkdir(parents=True, exist_ok=True)
    hub = os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB
    code = Web(f"--code-tag {given.code_tag}", given.retry_delay)
    prepare_code(given.mount, scratch, code, given.code_tag, given.code_url)
    prepare_dataset(given.mount, scratch, given.dataset)
    wanted = f"--model {given.model} --revision {given.revision}"
    model = Web(wanted, given.retry_delay, hub, token)
    prepare_model(given.mount, scratch, model, given.model, given.revision)


def main() -> None:
    given, token = arguments(), os.environ.get("HF_TOKEN", "").strip()
    try:
        prepare(given, token)
    except (PrepareError, OSError) as error:
        where = f" (--mount {given.mount}, --scratch {given.scratch})"
        text = str(error) + (where if isinstance(error, OSError) else "")
        sys.exit(f"error: {text.replace(token, '***') if token else text}")
    print("ready")


if __name__ == "__main__":
    main()
