"""Parts of a bucket that are filled by a script: what is done, and which files the script made.

`.prepared/PART.json` says what a part was made from, once it is done. `.prepared/PART.files.json`
names every file that the script has put there, with its checksum once it is whole; no other file is
ever written over or taken away. Nothing is read again: through a mount that would be a download.
"""

import json
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from downloads import PrepareError, size_of

WRITERS = 16  # verl is a thousand small files, and each costs round trips to the bucket


def put(source: Path | bytes, target: Path) -> None:
    """One write from start to end, and the name only then: buckets know no other way."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = _part_of(target)
    if isinstance(source, bytes):
        part.write_bytes(source)
    else:
        shutil.copyfile(source, part)
    part.replace(target)


def _part_of(target: Path) -> Path:
    return target.with_name(f".{target.name}.part")


@dataclass(frozen=True)
class Part:
    """`name` is code, dataset or model."""

    mount: Path
    name: str

    def is_done(self, made_from: Mapping[str, str]) -> bool:
        """Takes the marker away if it says something else."""
        held = _read(self._marker)
        there = all(size_of(self.mount / it) == size for it, size in held.get("sizes", {}).items())
        if there and held.get("made_from") == made_from:
            return True
        print(f"{self.name}: to be made", flush=True)
        self._marker.unlink(missing_ok=True)
        return False

    def has(self, file: Path, size: int, checksum: str) -> bool:
        """Whether the script has put just this there, and it still has that size."""
        return _read(self._ledger).get(self._name_of(file)) == checksum and size_of(file) == size

    def claim(self, files: Iterable[Path]) -> None:
        """Says that these are about to be written, or refuses to write over somebody else's."""
        made, wanted = _read(self._ledger), {self._name_of(it) for it in files}
        with ThreadPoolExecutor(WRITERS) as pool:
            others = sorted(wanted - made.keys())
            there = list(pool.map(lambda it: (self.mount / it).exists(), others))
        if any(there):
            first = others[there.index(True)]
            raise PrepareError(
                f"{self.mount / first}: is there, and was not put there by this job; move it away"
            )
        self._write({**made, **dict.fromkeys(wanted, "")})

    def put(self, files: Mapping[Path, Path | bytes], checksums: Mapping[Path, str]) -> None:
        """Writes files that were claimed."""
        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(put, files.values(), files))
        whole = {self._name_of(file): checksum for file, checksum in checksums.items()}
        if whole:
            self._write({**_read(self._ledger), **whole})

    def finish(
        self, made_from: Mapping[str, str], files: Iterable[Path], *, check: bool, **notes: str
    ) -> None:
        """Takes away what the script put there for another tag or revision; with `check` every
        later run looks at the sizes of `files`."""
        made, kept = _read(self._ledger), {self._name_of(it): it for it in files}
        for name in made.keys() - kept.keys():
            (self.mount / name).unlink(missing_ok=True)
            _part_of(self.mount / name).unlink(missing_ok=True)
        self._write({name: made.get(name, "") for name in kept})
        sizes = {name: size_of(file) for name, file in kept.items()} if check else {}
        marker = {"made_from": made_from, **notes, "sizes": sizes}
        put(json.dumps(marker).encode(), self._marker)

    @property
    def _marker(self) -> Path:
        return self.mount / ".prepared" / f"{self.name}.json"

    @property
    def _ledger(self) -> Path:
        return self.mount / ".prepared" / f"{self.name}.files.json"

    def _name_of(self, file: Path) -> str:
        return file.relative_to(self.mount).as_posix()

    def _write(self, made: Mapping[str, str]) -> None:
        put(json.dumps(made).encode(), self._ledger)


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_bytes()) if path.is_file() else {}
