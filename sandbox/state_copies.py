"""Whole copies of a stack's state, for the day on which a full disk leaves half of one.

The engine's file backend puts a new state in place by a rename. But where the write before it
failed, it closes the half-written file, which renames that one, too (gocloud.dev blob.go, WriteAll,
and fileblob.go, writer.Close; v0.46.1, read 2026-11-22). So the engine is told to keep a copy of
each state that it wrote. It starts no operation before the state that names it was written and
copied, so from the newest whole copy nothing is lost: what was under way is pending in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from cli.errors import UserError

# The engine's switch: a copy, STACK.json.NANOSECONDS, beside each state.
ENVIRONMENT = {"PULUMI_DIY_BACKEND_RETAIN_CHECKPOINTS": "true"}
_KEPT = 2
_MOST = 12


def keep_few(state: Path) -> None:
    """Drop old copies: all but the newest whole ones, and what came after them."""
    copies = sorted(_copies(state), key=_written, reverse=True)
    if len(copies) <= _MOST:
        return
    whole = 0
    for copy in copies:
        if whole >= _KEPT:
            copy.unlink(missing_ok=True)
        elif _is_whole(copy):
            whole += 1


def restore(state: Path, reset: str) -> bool:
    """Put the newest whole copy in the place of a state that is cut; False: there was no need.

    Raises UserError where none is whole; `reset` is the command that is then left.
    """
    if _is_whole(state):
        return False
    backup = state.with_name(f"{state.name}.bak")
    candidates = [*_copies(state), *([backup] if backup.exists() else [])]
    for copy in sorted(candidates, key=_written, reverse=True):
        if _is_whole(copy):
            draft = state.with_name(f"{state.name}.draft")
            draft.write_bytes(copy.read_bytes())
            os.replace(draft, state)
            return True
    stack = state.name.removesuffix(".json")
    raise UserError(
        f"the state of {stack} ends in the middle, and no copy of it is whole; nearest: {reset}"
    )


def forget(state: Path) -> None:
    """Drop all copies: their stack is gone."""
    for copy in [*_copies(state), state.with_name(f"{state.name}.bak")]:
        copy.unlink(missing_ok=True)


def _copies(state: Path) -> Iterator[Path]:
    return (
        file
        for file in state.parent.glob(f"{state.name}.*")
        if file.name.rpartition(".")[2].isdecimal()
    )


def _written(file: Path) -> int:
    return file.stat().st_mtime_ns


def _is_whole(file: Path) -> bool:
    try:
        return isinstance(json.loads(file.read_bytes()), dict)
    except (OSError, ValueError):
        return False
