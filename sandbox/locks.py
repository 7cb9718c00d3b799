"""The file backend's locks: which engine is at work, and which one died at work."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path


def _owners(backend: Path) -> Iterator[int | None]:
    """The process of each lock; None where a full disk left half of the lock."""
    for file in backend.glob(".pulumi/locks/**/*.json"):
        try:
            yield int(json.loads(file.read_text())["pid"])
        except FileNotFoundError:
            # Removed at this moment.
            continue
        except (OSError, ValueError, KeyError, TypeError):
            yield None


def engine_pid(backend: Path) -> int | None:
    """The process that holds a stack's lock, if one does."""
    return next((pid for pid in _owners(backend) if pid and _is_alive(pid)), None)


def stale_locks(backend: Path) -> bool:
    """Whether a lock is held by a process that is no more, or says not by which.

    To be asked before an engine starts: one that is starting may have written half of its lock.
    """
    return any(pid is None or not _is_alive(pid) for pid in _owners(backend))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
