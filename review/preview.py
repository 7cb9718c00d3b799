"""The process that previews one stack: `python -m review.preview STACK FOLDER OUT`.

The engine runs the program inside this process.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cli.errors import UserError
from cli.lines import say
from cli.urns import name_of, token_of
from review.change import changes_of
from review.sandbox_engine import (
    Course,
    Engine,
    Faults,
    RunOptions,
    RunResult,
    Workspace,
    courses_of,
    planned,
    refused,
)
from review.step import EngineStep
from stacks import acknowledge, changes, on_record, running_work, waiting
from stacks.agreements import Agreements
from stacks.config import ConfigError
from stacks.on_record import Record
from stacks.plan import Plan
from stacks.refusal import drops_nodes, renews_nodes
from stacks.running_work import Stop
from stacks.two_runs import TwoRunsError


@dataclass(frozen=True)
class Preview:
    """What a preview found; `goals` is what the program wants, by URN, without any inputs.

    `aliased` has by the URN in the state the one in the program, where the program gives an alias.
    `chain` is the critical path: operation, resource and simulated seconds; `low_s` and `high_s`
    are between what and what the whole may take, `courses` the ways to the first step. `refusal`
    is why the program would refuse it, `not_agreed` the work among what it `stops` for which it
    would, and `stop_entries` what `acknowledge` lacks then. `not_estimated` says which estimates
    failed. `config` is the fingerprint of the stack's config, `project` the project that it was
    previewed for. `waits`: that its platform is not up is all that is wrong.
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
    config: str = ""
    project: str = ""
    refusal: str = ""
    stops: tuple[Stop, ...] = ()
    not_agreed: tuple[Stop, ...] = ()
    stop_entries: tuple[str, ...] = ()
    not_estimated: tuple[str, ...] = ()
    aliased: Mapping[str, str] = field(default_factory=dict[str, str])
    waits: bool = False

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> Preview:
        return cls(
            **{
                **found,
                "errors": tuple(found["errors"]),
                "steps": tuple(EngineStep.of_json(it) for it in found["steps"]),
                "chain": tuple((a, b, c) for a, b, c in found["chain"]),
                "courses": tuple(Course.of_json(it) for it in found.get("courses", ())),
                "stop_entries": tuple(found.get("stop_entries", ())),
                "not_estimated": tuple(found.get("not_estimated", ())),
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
        "aliased": result.report.aliased,
        "goals": {urn: {key: it.get(key) for key in _OF_A_GOAL} for urn, it in goals.items()},
        "makespan_s": result.makespan_s,
        "low_s": result.bounds.low,
        "high_s": result.bounds.high,
        "sequential_s": result.sequential_s,
        "chain": [(it.operation, name_of(it.urn), it.seconds) for it in result.critical.steps],
        "not_estimated": result.unknown.lines,
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
    updated = [it for it in found if it.verb == "update"]
    work.gone |= {(it.type, it.name) for it in found if it.destructive}
    return work.stops(
        work.gone,
        {(it.type, it.name) for it in updated if renews_nodes(it.type, it.old or {}, it.new or {})},
        {(it.type, it.name) for it in updated if drops_nodes(it.type, it.old or {}, it.new or {})},
    )


def _lacking(agreements: Agreements, stop: Stop) -> list[str]:
    """What `acknowledge` lacks before the work may stop. Which run stops a review does not know."""
    match stop.agreement:
        case None:
            return []
        case acknowledge.REMOVED:
            return agreements.for_removal(stop.resource)
        case _:
            return agreements.for_replacement(stop.resource, {})


def _run(engine: Engine, options: RunOptions) -> tuple[RunResult, bool]:
    """The result of the preview, and whether it waits for its platform alone."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "waits"
        os.environ[waiting.VARIABLE] = str(file)
        result = engine.run("preview", options)
        return result, not result.ok and file.exists()


def main(stack: str, folder: Path, out: Path) -> int:
    workspace = Workspace(folder, stack)
    options = RunOptions(math.inf, Faults(), say)
    try:
        with workspace.lock():
            secrets = workspace.prepare([])
            if (result := refused(workspace, "preview", secrets)) is not None:
                found = summary(result)
            else:
                plan, record = planned(workspace, secrets), _on_record(workspace)
                with on_record.hidden():
                    result, waits = _run(Engine(workspace, secrets), options)
                stops = list(_stops(plan, record, result))
                agreements = Agreements.of(plan.stack)
                protected = plan.stack.deletion_protection
                not_agreed = [it for it in stops if protected and _lacking(agreements, it)]
                ways = courses_of(result, plan, workspace)
                found = {
                    **summary(result),
                    "waits": waits,
                    "courses": [it.to_json() for it in ways],
                    "refusal": _refusal(plan, record, stack),
                    "stops": [asdict(it) for it in stops],
                    "not_agreed": [asdict(it) for it in not_agreed],
                    "stop_entries": [
                        line for it in not_agreed for line in _lacking(agreements, it)
                    ],
                    "config": agreements.config,
                    "project": plan.stack.project,
                }
    except UserError as error:
        failed = Preview(False, (str(error),), (), {}, 0.0, 0.0, ())
        found = {**failed.__dict__}
    out.write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
