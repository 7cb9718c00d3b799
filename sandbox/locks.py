"""The file backend's locks: which engine is at work, and which one died at work."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path


def _owners(backend: Path) -> Iterator[int]:
    for file in backend.glob(".pulumi/locks/**/*.json"):
        try:
            yield int(json.loads(file.read_text())["pid"])
        except (OSError, ValueError, KeyError):
            # Being written or removed at this moment.
            continue


def engine_pid(backend: Path) -> int | None:
    """The process that holds a stack's lock, if one does."""
    return next((pid for pid in _owners(backend) if _is_alive(pid)), None)


def stale_locks(backend: Path) -> bool:
    """Whether a lock is held by a process that is no more."""
    return any(not _is_alive(pid) for pid in _owners(backend))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
