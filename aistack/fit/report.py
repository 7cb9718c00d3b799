"""What is known of a job before anything is paid for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class How(StrEnum):
    """Where a number of memory is from."""

    COMPILED = "compiled"
    ESTIMATE = "estimate"
    NOT_JUDGED = "not judged"


class Verdict(StrEnum):
    """Whether accelerators hold a job. Only a compiler says `FITS`, of the packages that the
    workers install and of a program with room beside its arguments: an estimate is a lower bound,
    which says `NO` or `MAYBE`."""

    FITS = "yes"
    MAYBE = "maybe"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Storage:
    """`seconds` are None where nobody says how fast the storage is, and `measured` where Google has
    only measured it; `every_seconds` are None where the time of a step is not known."""

    checkpoint_gb: float
    period: str
    seconds: float | None
    measured: bool = False
    every_seconds: float | None

    @property
    def sentence(self) -> str:
        said = f"a checkpoint is {self.checkpoint_gb:,.0f} GB, one every {self.period}"
        if self.seconds is not None:
            speed = "as fast as Google measured Cloud Storage FUSE" if self.measured else ""
            said += f"; the storage takes {self.seconds:,.0f} s {speed or 'at its full speed'}"
        if self.every_seconds is not None:
            said += f"; from one to the next {self.every_seconds:,.0f} s"
            if self.seconds is None:
                need = self.checkpoint_gb / self.every_seconds
                said += f", so {need:,.2f} GB/s or more, which a bucket promises nobody"
        return said

    @property
    def is_too_slow(self) -> bool:
        if self.seconds is None or self.every_seconds is None:
            return False
        return self.seconds > self.every_seconds


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Of a job on so many accelerators; `parts` are GiB of one of them, of TPU7x of one of the two
    devices that a chip is. `compiled_before` says how much more than such an estimate a compiler
    has counted. `tflops` of a step are those of all accelerators."""

    job: str
    model: str
    layout: str
    accelerator: str
    accelerators: int
    slices: int | None = None
    how: How
    verdict: Verdict = Verdict.UNKNOWN
    used_gib: float | None = None
    memory_gib: float
    parts: Mapping[str, float]
    compiled_before: str | None = None
    nearest: str | None = None
    tflops: float | None = None
    step_seconds: float | None = None
    utilisation: float
    storage: Storage | None = None
    sources: tuple[str, ...] = ()
    note: str | None = None
