"""Fills a mounted bucket with what a verl training reads: verl's source, its data set, the model.

Needs Python 3.10, and what verl's own script for the data set imports. A part that is done is left
alone, and so is every file that this script did not make. The environment gives HF_ENDPOINT and,
for models that need it, HF_TOKEN.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from downloads import CHUNK, PrepareError, Web, check_space, inside, size_of
from prepared import Part

CODE_URL = "https://github.com/volcengine/verl/archive/refs/tags/{tag}.tar.gz"
CODE = "verl"  # the folder of the source, and in it that of the package
HUB = "https://huggingface.co"


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
        digest = hashlib.sha256() if large else _git_sha1(b"blob %d\0" % self.size)
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
        return digest.hexdigest() == self.checksum


def _git_sha1(data: bytes) -> "hashlib._Hash":
    """Of git's ids. Other content of a given id is not known to be had (git documentation,
    "hash-function-transition")."""
    return hashlib.sha1(data, usedforsecurity=False)


def tree_id(files: dict[str, tuple[bytes, bytes]]) -> str:
    """git's id of a folder: its files by path, each with its mode (100644 or 100755) and content.

    An archive of a tag says nothing of its own contents, and GitHub promises no checksum of it.
    """
    entries: dict[str, tuple[bytes, bytes]] = {}
    folders: dict[str, dict[str, tuple[bytes, bytes]]] = {}
    for path, (mode, content) in files.items():
        name, _, below = path.partition("/")
        if below:
            folders.setdefault(name, {})[below] = (mode, content)
        else:
            blob = _git_sha1(b"blob %d\0" % len(content) + content)
            entries[name] = (mode, blob.digest())
    for name, inner in folders.items():
        entries[name] = (b"40000", bytes.fromhex(tree_id(inner)))
    # git orders a folder as if its name ended with a slash.
    ordered = sorted(entries, key=lambda it: f"{it}/" if it in folders else it)
    body = b"".join(entries[it][0] + b" " + it.encode() + b"\0" + entries[it][1] for it in ordered)
    return _git_sha1(b"tree %d\0" % len(body) + body).hexdigest()


def unpacked(archive: Path) -> dict[str, tuple[bytes, bytes]]:
    """Mode and content of each file, by its path below the one folder that holds all."""
    files: dict[str, tuple[bytes, bytes]] = {}
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            if member.isfile() and (content := tar.extractfile(member)):
                mode = b"100755" if member.mode & 0o100 else b"100644"
                files[member.name.partition("/")[2]] = (mode, content.read())
    return files


def prepare_code(mount: Path, scratch: Path, web: Web, given: argparse.Namespace) -> None:
    url = given.code_url.format(tag=quote(given.code_tag, safe=""))
    part, made_from = Part(mount, "code"), {"tag": given.code_tag, "url": url}
    if given.code_tree:
        made_from["tree"] = given.code_tree
    if part.is_done(made_from):
        return
    archive = scratch / "code.tar.gz"
    web.fetch(url, archive)
    try:
        found = unpacked(archive)
    except (tarfile.TarError, EOFError) as error:
        raise PrepareError(f"{web.wanted}: no whole tar.gz: {error} ({url})") from None
    if given.code_tree and (tree := tree_id(found)) != given.code_tree:
        raise PrepareError(f"{web.wanted}: has tree {tree}, not {given.code_tree} ({url})")
    files = {inside(mount / CODE, name): content for name, (_, content) in found.items()}
    part.claim(files)
    part.put(files, {})
    part.finish(made_from, files, check=False)


def prepare_dataset(mount: Path, scratch: Path, name: str) -> None:
    script = mount / CODE / "examples" / "data_preprocess" / f"{name}.py"
    if not script.is_file():
        known = ", ".join(sorted(file.stem for file in script.parent.glob("*.py")))
        raise PrepareError(f"--dataset {name}: not among this tag's scripts: {known}")
    text = script.read_bytes()
    made_from = {"dataset": name, "script_sha256": hashlib.sha256(text).hexdigest()}
    part = Part(mount, "dataset")
    if part.is_done(made_from):
        return
    folder = scratch / "dataset"
    folder.mkdir(exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_CACHE")}
    environment |= {"HF_HOME": str(folder / "cache"), "PYTHONPATH": str(mount / CODE)}
    option = "--local_save_dir" if b"--local_save_dir" in text else "--local_dir"  # before v0.6.0
    command = [sys.executable, "-B", str(script), option, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    made = [folder / f"{split}.parquet" for split in ("train", "test")]
    if done.returncode or any(size_of(file) < 1 for file in made):
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        why = f"{script.name} ended with {done.returncode}, or left parquet files out: {last}"
        raise PrepareError(f"--dataset {name}: {why}")
    files: dict[Path, Path | bytes] = {mount / name / file.name: file for file in made}
    part.claim(files)
    part.put(files, {})
    part.finish(made_from, files, check=True)
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
    part, made_from = Part(mount, "model"), {"model": model, "revision": revision}
    if part.is_done(made_from):
        return
    folder, answer = mount / model.rpartition("/")[2], scratch / "model.json"
    reference = f"{model}/revision/{quote(revision, safe='')}"
    web.fetch(f"{web.hub}/api/models/{reference}?blobs=true", answer)
    commit, files = list_files(answer, web)
    paths = {file.name: inside(folder, file.name) for file in files}
    missing = [it for it in files if not part.has(paths[it.name], it.size, it.checksum)]
    check_space("--mount", mount, sum(file.size for file in missing))
    part.claim(paths[file.name] for file in missing)
    for number, file in enumerate(missing, 1):
        print(f"model: {number}/{len(missing)} {file.name}, {file.size} bytes", flush=True)
        url = f"{web.hub}/{model}/resolve/{commit}/{quote(file.name)}"
        load(web, url, file, scratch, part, paths[file.name])
    part.finish(made_from, paths.values(), check=True, commit=commit)


def load(web: Web, url: str, file: ModelFile, scratch: Path, part: Part, target: Path) -> None:
    """Through the scratch disk, where one unfinished file may lie, named after its content."""
    local = scratch / f"{file.checksum}.part"
    for other in {*scratch.glob("*.part")} - {local}:
        other.unlink()
    check_space("--scratch", scratch, file.size - max(size_of(local), 0))
    for _ in range(2):
        web.fetch(url, local, file.size)
        if file.is_at(local):
            part.put({target: local}, {target: file.checksum})
            return local.unlink()
        local.unlink()
    raise PrepareError(f"{url}: wrong checksum twice; it must be {file.checksum}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fills a bucket for verl.")
    parser.add_argument("--mount", type=Path, required=True, help="where the bucket is mounted")
    parser.add_argument("--code-tag", required=True, help="of verl, such as v0.6.1")
    parser.add_argument("--code-url", default=CODE_URL, help="of a tar.gz, with {tag} in it")
    parser.add_argument("--code-tree", default="", help="git's id of that tag's files")
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
    folders = [CODE, given.dataset, given.model.rpartition("/")[2]]
    if len({*folders}) < len(folders) or any(it.startswith(".") for it in folders):
        raise PrepareError(f"--model {given.model}: its folder is another part's: {folders}")
    scratch = given.scratch / "prepare_data"
    scratch.mkdir(parents=True, exist_ok=True)
    hub = os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB
    code = Web(f"--code-tag {given.code_tag}", given.retry_delay)
    prepare_code(given.mount, scratch, code, given)
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
