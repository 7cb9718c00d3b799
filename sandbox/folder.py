"""The sandbox's own folder: its mark, and what of it may be deleted."""

from __future__ import annotations

import shutil
from pathlib import Path

from cli.errors import UserError

_MARK = "this-folder-is-a-sandbox"
# Everything that the sandbox itself puts there, and the reserve of earlier ones; the lock comes
# last, for it is held.
_OWN = (
    *("state", "stacks", "home", "bin", "kube", "cloud.json", "cloud.draft", "project.yaml"),
    *("reserve", _MARK, "lock"),
)
# A sandbox without a mark is one of before there were marks.
_OLD = frozenset({"state", "stacks", "home", "lock"})


def claim(root: Path) -> None:
    """Make the folder the sandbox's, which may hold others; raises UserError where somebody else's
    things are in it."""
    root.mkdir(parents=True, exist_ok=True)
    others = [it for it in root.iterdir() if not (it.is_dir() and _is_sandbox(it))]
    if others and not _is_sandbox(root):
        raise UserError(
            f"--folder: {root}: other files are there; nearest: {root / 'sandbox'}, or any folder "
            "that is new or empty"
        )
    (root / _MARK).touch()


def _is_sandbox(root: Path) -> bool:
    names = {entry.name for entry in root.iterdir()}
    return _MARK in names or names >= _OLD


def require_sandbox(root: Path) -> None:
    """Raises UserError for a folder that is not a sandbox's."""
    if not (root.is_dir() and _is_sandbox(root)):
        raise UserError(
            f"--folder: {root}: no sandbox is there, so nothing was deleted; "
            "nearest: the folder that `up` was given"
        )


def delete_own(root: Path) -> None:
    """Delete what the sandbox put there, and the folder if nothing else is in it."""
    for name in _OWN:
        entry = root / name
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink(missing_ok=True)
    if not any(root.iterdir()):
        root.rmdir()
