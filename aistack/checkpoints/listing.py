"""Checkpoints that a pod has told of. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from aistack.errors import VerbError
from kube.objects import JsonObject, maps

# A step is the last number of a file's name, which has at most 255 bytes (linux/limits.h).
_MOST = 10**255
_SHOWN = 500


@dataclass(frozen=True)
class Checkpoint:
    """`missing` says why it is not whole: nothing of one that is, and None where nobody knows."""

    name: str
    step: int
    bytes: int
    files: int
    written: datetime | None
    missing: str | None


@dataclass(frozen=True)
class Checkpoints:
    """By their steps; `restart` is the one that a restart takes."""

    folder: str
    checkpoints: Sequence[Checkpoint]
    restart: int | None

    @property
    def next_start(self) -> str:
        if self.restart is not None:
            return f"a restart takes step {self.restart}"
        if any(it.missing is None for it in self.checkpoints):
            return "which one a restart takes, its own program knows"
        return "a restart begins anew"

    def of_step(self, step: int) -> Checkpoint:
        """Raises VerbError where it is not there, or not whole."""
        found = [it for it in self.checkpoints if it.step == step]
        whole = [str(it.step) for it in self.checkpoints if not it.missing]
        nearest = ", ".join(whole) or "none, for none is whole"
        if not found:
            raise VerbError(f"--copy: {self.folder} has none of step {step}; nearest: {nearest}")
        best = min(found, key=lambda it: bool(it.missing))
        if best.missing:
            raise VerbError(f"--copy: {best.name} is not whole: {best.missing}; nearest: {nearest}")
        return best


def checkpoints_of(folder: str, answer: JsonObject) -> Checkpoints:
    """Raises VerbError."""
    found = [_checkpoint(it) for it in maps(answer.get("checkpoints"))]
    restart = answer.get("restart")
    return Checkpoints(folder, found, None if restart is None else counted(answer, "restart"))


def counted(answer: JsonObject, key: str) -> int:
    """A number that a pod says, which reckoning with it cannot break. Raises VerbError."""
    value = answer.get(key)
    if not isinstance(value, int) or not 0 <= value < _MOST:
        raise VerbError(f"the pod says {str(value)[:_SHOWN]} for {key}, which is no count")
    return value


def _checkpoint(said: JsonObject) -> Checkpoint:
    missing = said.get("missing")
    return Checkpoint(
        name=str(said.get("name")),
        step=counted(said, "step"),
        bytes=counted(said, "bytes"),
        files=counted(said, "files"),
        written=_time(said.get("written")),
        missing=None if missing is None else str(missing),
    )


def _time(written: object) -> datetime | None:
    """Whoever writes a file may give it a time that no calendar has."""
    try:
        return datetime.fromtimestamp(int(cast("float", written)), UTC)
    except (OSError, OverflowError, TypeError, ValueError):
        return None
