"""What the engine does not report of a run: its critical path and its bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from catalog.durations import Durations
from sandbox.bounds import Bounds, bounds
from sandbox.plan import Inputs
from sandbox.schedule import CriticalPath, TimedStep, critical_path

Result = TypeVar("Result")


@dataclass
class Unknown:
    """The estimates of one run that failed: a change is shown without them."""

    lines: list[str] = field(default_factory=list[str])

    def estimate(
        self, subject: str, compute: Callable[[], Result], otherwise: Callable[[], Result]
    ) -> Result:
        """The estimate, or `otherwise` where it fails. An estimate changes nothing, so no failure
        of it may hide what the engine plans or did."""
        try:
            return compute()
        except Exception as error:
            name = type(error).__name__
            self.lines.append(
                f"{subject}: not estimated, for the estimate failed ({name}: {error}); the change "
                "itself is whole"
            )
            return otherwise()


@dataclass(frozen=True)
class Estimate:
    """The steps of a run with their schedule. `seconds` is None where no estimate succeeded."""

    steps: list[TimedStep]
    dependencies: Mapping[str, set[str]]
    critical: CriticalPath
    bounds: Bounds
    seconds: float | None


def estimate_of(
    steps: list[TimedStep],
    dependencies: Mapping[str, set[str]],
    inputs: Inputs,
    durations: Durations,
    unknown: Unknown,
    seconds: float | None = None,
) -> Estimate:
    """`seconds` is what the run took; a preview takes its critical path."""

    def schedule() -> Estimate:
        critical = critical_path(steps, dependencies)
        likely = critical.seconds if seconds is None else seconds
        span = bounds(steps, dependencies, durations, inputs, likely)
        return Estimate(steps, dependencies, critical, span, likely)

    def none() -> Estimate:
        known = seconds or 0.0
        return Estimate(steps, {}, CriticalPath((), 0.0), Bounds(known, known), seconds)

    return unknown.estimate("the time and the critical path", schedule, none)
