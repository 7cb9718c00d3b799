"""Brings a data set from the web into a folder: fetch.py URL SHA256 FOLDER.

The tar archive at URL is checked against its digest and unpacked. A file of its name and `.sha256`
is written last; where it has the digest already, nothing is done. Needs Python 3.12 alone.
"""

import hashlib
import shutil
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

CHUNK = 1024 * 1024
SILENT_S = 60  # a server that says nothing for so long has failed


class FetchError(Exception):
    """What a person has to put right, in one line."""


def download(url: str, file: Path) -> str:
    """The digest of what is there now."""
    digest = hashlib.sha256()
    try:
        with urllib.request.urlopen(url, timeout=SILENT_S) as found, file.open("wb") as written:
            while chunk := found.read(CHUNK):
                digest.update(chunk)
                written.write(chunk)
    except (urllib.error.URLError, TimeoutError, ValueError) as error:
        raise FetchError(f"{url}: {error}; nearest: a URL that answers") from None
    return digest.hexdigest()


def copy(source: Path, folder: Path) -> int:
    """The files alone, each whole: a bucket knows no owners and no times."""
    files = sorted(it for it in source.rglob("*") if it.is_file())
    for file in files:
        target = folder / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    return len(files)


def fetch(url: str, expected: str, folder: Path) -> str:
    """Says what was done."""
    name = PurePosixPath(urlsplit(url).path).name
    done = folder / f"{name}.sha256"
    if done.is_file() and done.read_text().strip() == expected:
        return f"{name}: is in {folder} already"
    with tempfile.TemporaryDirectory() as scratch:
        archive, unpacked = Path(scratch, "archive"), Path(scratch, "unpacked")
        found = download(url, archive)
        if found != expected:
            raise FetchError(f"{url}: its SHA-256 is {found}, not {expected}; nearest: {found}")
        try:
            with tarfile.open(archive) as tar:
                tar.extractall(unpacked, filter="data")
        except tarfile.TarError as error:
            raise FetchError(f"{url}: {error}; nearest: a tar archive") from None
        count = copy(unpacked, folder)
    done.write_text(f"{expected}\n")
    return f"{name}: {count} files are in {folder}"


def main(arguments: list[str]) -> None:
    try:
        if len(arguments) != 3:
            raise FetchError("arguments: must be three; nearest: fetch.py URL SHA256 FOLDER")
        url, expected, folder = arguments
        print(fetch(url, expected, Path(folder)), flush=True)
    except (FetchError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
