"""The process that previews one stack: `python -m review.preview STACK FOLDER OUT`.

The engine runs the program inside this process.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from review.change import changes_of
from review.step import EngineStep
from sandbox.engine import Engine, RunOptions, RunResult
from sandbox.errors import UserError
from sandbox.faults import Faults
from sandbox.first_step import Course
from sandbox.refused import planned, refused
from sandbox.run import courses_of
from sandbox.urns import name_of, token_of
from sandbox.workspace import Workspace
from stacks import changes, on_record, running_work
from stacks.config import ConfigError
from stacks.on_record import Record
from stacks.plan import Plan
from stacks.refusal import agreed_to, renews_nodes
from stacks.running_work import Stop
from stacks.two_runs import TwoRunsError


@dataclass(frozen=True)
class Preview:
    """What a preview found; `goals` is what the program wants, by URN, without any inputs.

    `chain` is the critical path: operation, resource and simulated seconds; `low_s` and `high_s`
    are between what and what the whole may take, `courses` the ways to the first step. `refusal`
    is why the program would refuse it, and `not_agreed` for which of the work that `stops` it
    would.
    """

    ok: bool
    errors: tuple[str, ...]
    steps: tuple[EngineStep, ...]
    goals: Mapping[str, Mapping[str, Any]]
    makespan_s: float
    sequential_s: float
    chain: tuple[tuple[str, str, float], ...]
    low_s: float = 0.0
    high_s: float = 0.0
    courses: tuple[Course, ...] = ()
    refusal: str = ""
    stops: tuple[Stop, ...] = ()
    not_agreed: tuple[Stop, ...] = ()

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> Preview:
        return cls(
            **{
                **found,
                "errors": tuple(found["errors"]),
                "steps": tuple(EngineStep.of_json(it) for it in found["steps"]),
                "chain": tuple((a, b, c) for a, b, c in found["chain"]),
                "courses": tuple(Course.of_json(it) for it in found.get("courses", ())),
                **{key: tuple(Stop(**it) for it in found.get(key, ())) for key in _STOPS},
            }
        )


_STOPS = ("stops", "not_agreed")
_OF_A_GOAL = ("type", "parent", "dependencies", "propertyDependencies", "provider")


def summary(result: RunResult) -> dict[str, Any]:
    """A preview's result as `Preview.of_json` reads it."""
    steps = [EngineStep.of_event(event) for event in result.report.step_events]
    goals = {urn: plan["goal"] for urn, plan in result.plan.items() if plan.get("goal")}
    return {
        "ok": result.ok,
        "errors": result.report.diagnostics if not result.ok else [],
        "steps": [step.to_json() for step in steps if step is not None],
        "goals": {urn: {key: it.get(key) for key in _OF_A_GOAL} for urn, it in goals.items()},
        "makespan_s": result.makespan_s,
        "low_s": result.bounds.low,
        "high_s": result.bounds.high,
        "sequential_s": result.sequential_s,
        "chain": [(it.operation, name_of(it.urn), it.seconds) for it in result.critical.steps],
    }


def _on_record(workspace: Workspace) -> Record:
    state = workspace.deployment().get("resources") or []
    return Record({it["urn"]: it for it in state})


def _refusal(plan: Plan, record: Record, stack: str) -> str:
    """Why the program would not make this of what the stack has on record."""
    try:
        changes.check(plan, record, stack)
    except (ConfigError, TwoRunsError) as error:
        return str(error)
    return ""


def _stops(plan: Plan, record: Record, result: RunResult) -> Iterator[Stop]:
    """The work that the plan of the engine stops, in the words of the program."""
    work = running_work.of(plan, record)
    work.declared |= {
        (token_of(urn), name_of(urn)) for urn, it in result.plan.items() if it.get("goal")
    }
    steps = (EngineStep.of_event(event) for event in result.report.step_events)
    found = changes_of(step for step in steps if step is not None)
    renewed = (it for it in found if it.verb == "update")
    return work.stops(
        {(it.type, it.name) for it in found if it.destructive},
        {(it.type, it.name) for it in renewed if renews_nodes(it.type, it.old or {}, it.new or {})},
    )


def _agreed(plan: Plan, stop: Stop) -> bool:
    """Whether it is, or needs not to be."""
    agreed = agreed_to(stop.resource, plan.stack.acknowledge)
    return not plan.stack.deletion_protection or stop.agreement in (None, *agreed)


def main(stack: str, folder: Path, out: Path) -> int:
    workspace = Workspace(folder, stack)
    options = RunOptions(math.inf, Faults(), lambda line: print(line, flush=True))
    try:
        with workspace.lock():
            secrets = workspace.prepare([])
            if (result := refused(workspace, "preview", secrets)) is not None:
                found = summary(result)
            else:
                plan, record = planned(workspace, secrets), _on_record(workspace)
                with on_record.hidden():
                    result = Engine(workspace, secrets).run("preview", options)
                stops = list(_stops(plan, record, result))
                ways = courses_of(result, plan, workspace)
                found = {
                    **summary(result),
                    "courses": [it.to_json() for it in ways],
                    "refusal": _refusal(plan, record, stack),
                    "stops": [asdict(it) for it in stops],
                    "not_agreed": [asdict(it) for it in stops if not _agreed(plan, it)],
                }
    except UserError as error:
        failed = Preview(False, (str(error),), (), {}, 0.0, 0.0, ())
        found = {**failed.__dict__}
    out.write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
