"""What one run of the engine did and found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sandbox.bounds import Bounds
from sandbox.edges import Wait, waits_of
from sandbox.estimate import Unknown
from sandbox.events import EngineReport
from sandbox.journal import Step
from sandbox.of_stacks.first_step import Course
from sandbox.plan import Inputs
from sandbox.schedule import CriticalPath, TimedStep

Verb = Literal["preview", "up", "refresh", "destroy"]


@dataclass
class RunResult:
    """What one run did and found; seconds are simulated except `wall_s`.

    `own_durations`: by a table of the user's own. `cloud` has the ids of all that exists, `own` of
    what is the stack's. `failure` are the lines with which a failed run ends.
    `unknown` has the estimates that failed.
    `plan` is a preview's plan by URN, as `pulumi preview --save-plan` writes it, and `courses` are
    its ways to the first step. `stood` are the inputs, by URN, of what stood before the run, and
    `stands` of what stands after it, or would.
    """

    operation: Verb
    stack: str
    ok: bool
    report: EngineReport
    makespan_s: float
    sequential_s: float
    critical: CriticalPath
    wall_s: float
    bounds: Bounds = field(default_factory=Bounds)
    own_durations: bool = False
    outputs: dict[str, Any] = field(default_factory=dict)
    cloud: dict[str, list[str]] = field(default_factory=dict)
    own: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    failure: list[str] = field(default_factory=list[str])
    timeline: list[Step] = field(default_factory=list[Step])
    plan: dict[str, Any] = field(default_factory=dict[str, Any])
    unknown: Unknown = field(default_factory=Unknown)
    interrupted: bool = False
    courses: list[Course] = field(default_factory=list[Course])
    steps: list[TimedStep] = field(default_factory=list[TimedStep])
    dependencies: Mapping[str, set[str]] = field(default_factory=dict[str, set[str]])
    stood: Inputs = field(default_factory=dict[str, Mapping[str, Any]])
    stands: Inputs = field(default_factory=dict[str, Mapping[str, Any]])

    def to_json(self) -> dict[str, Any]:
        waits = self.unknown.estimate(
            "the waits of the critical path",
            lambda: waits_of(self.steps, self.dependencies),
            list[Wait],
        )
        return {
            "operation": self.operation,
            "stack": self.stack,
            "changes": self.report.changes,
            "resources": [
                {"urn": r.urn, "type": r.type, "operation": r.operation, "causes": list(r.causes)}
                for r in self.report.resources
            ],
            "makespan_s": round(self.makespan_s, 3),
            "makespan_low_s": round(self.bounds.low, 3),
            "makespan_high_s": round(self.bounds.high, 3),
            "critical_path_s": round(self.critical.seconds, 3),
            "sequential_s": round(self.sequential_s, 3),
            "critical_path": [step.urn for step in self.critical.steps],
            "waits": [it.to_json() for it in waits],
            "timeline": [
                {
                    "urn": step.urn,
                    "operation": step.operation,
                    "start_s": round(step.span.start, 3),
                    "end_s": round(step.span.end, 3),
                }
                for step in self.timeline
            ],
            "to_first_step": [it.to_json() for it in self.courses],
            "wall_s": round(self.wall_s, 3),
            "not_estimated": self.unknown.lines,
            "diagnostics": self.report.diagnostics,
            "outputs": self.outputs,
            "cloud": self.cloud,
        }
