"""Checkpoints of a run: one folder an epoch, whole or passed over.

The storage may be a bucket behind Cloud Storage FUSE, where a rename of a folder is many steps. So
nothing is renamed: the manifest comes last and says how long the state is.
"""

import json
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

STATE, MANIFEST = "state", "manifest.json"

Save = Callable[[BinaryIO], object]
History = list[dict[str, float]]


class CheckpointError(Exception):
    """A checkpoint that the storage did not take, in one line."""


@dataclass(frozen=True)
class Checkpoint:
    """A whole one. `history` has the metrics of each epoch so far, so it is as long as they are."""

    folder: Path
    history: History


@dataclass(frozen=True)
class Run:
    """A run's folder. A write that takes longer than `seconds` counts as failed."""

    folder: Path
    keep: int
    seconds: float

    def newest(self) -> Checkpoint | None:
        return next(filter(None, map(read, sorted(self._folders(), reverse=True))), None)

    def write(self, history: History, save: Save) -> Checkpoint:
        """The checkpoint, once whole; only then does the oldest go. Raises CheckpointError."""
        folder = self.folder / f"checkpoint_{len(history) - 1:06d}"
        failed: list[Exception] = []

        def work() -> None:
            try:
                _write(folder, history, save)
                self._prune()
            except Exception as error:
                failed.append(error)

        # In a thread: a write to a mount that hangs never returns.
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(self.seconds)
        if failed or thread.is_alive():
            why = failed[0] if failed else f"not written after {self.seconds:g} s"
            before = self.newest()
            there = (
                "there is none before it" if before is None else f"{before.folder.name} is whole"
            )
            raise CheckpointError(f"{folder}: {why}; {there}")
        return Checkpoint(folder, history)

    def _folders(self) -> list[Path]:
        return list(self.folder.glob("checkpoint_*"))

    def _prune(self) -> None:
        folders = sorted(self._folders())
        kept = list(filter(read, folders))[-self.keep :]
        for folder in folders:
            if folder not in kept:
                shutil.rmtree(folder)


def read(folder: Path) -> Checkpoint | None:
    """None where the manifest is not there or speaks of more than is there."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        whole = (folder / STATE).stat().st_size == manifest["size"]
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError):
        return None
    return Checkpoint(folder, manifest["history"]) if whole else None


def _write(folder: Path, history: History, save: Save) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    try:
        manifest = {"size": _put(folder / STATE, save), "history": history}
        _put(folder / MANIFEST, lambda file: file.write(json.dumps(manifest).encode()))
    except Exception:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _put(path: Path, save: Save) -> int:
    """Bytes of the file, which are on the storage when this returns."""
    with path.open("wb") as file:
        save(file)
        file.flush()
        os.fsync(file.fileno())
    return path.stat().st_size
