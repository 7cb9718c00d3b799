"""Checkpoints that a pod has told of. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from aistack.errors import VerbError
from kube.objects import JsonObject


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
    found = [Checkpoint(**{**it, "written": _time(it["written"])}) for it in answer["checkpoints"]]
    return Checkpoints(folder, found, answer["restart"])


def _time(written: float | None) -> datetime | None:
    return None if written is None else datetime.fromtimestamp(int(written), UTC)
