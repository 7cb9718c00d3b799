"""The process that previews one stack: `python -m review.preview STACK FOLDER OUT`.

The engine runs the program inside this process.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from review.step import EngineStep
from sandbox.engine import Engine, RunOptions, RunResult
from sandbox.errors import UserError
from sandbox.faults import Faults
from sandbox.refused import planned, refused
from sandbox.urns import name_of
from sandbox.workspace import Workspace
from stacks import changes, on_record
from stacks.config import ConfigError
from stacks.two_runs import TwoRunsError


@dataclass(frozen=True)
class Preview:
    """What a preview found; `goals` is what the program wants, by URN, without any inputs.

    `chain` is the critical path: operation, resource and simulated seconds. `refusal` is why the
    program would refuse it.
    """

    ok: bool
    errors: tuple[str, ...]
    steps: tuple[EngineStep, ...]
    goals: Mapping[str, Mapping[str, Any]]
    makespan_s: float
    sequential_s: float
    chain: tuple[tuple[str, str, float], ...]
    refusal: str = ""

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> Preview:
        return cls(
            **{
                **found,
                "errors": tuple(found["errors"]),
                "steps": tuple(EngineStep.of_json(it) for it in found["steps"]),
                "chain": tuple((a, b, c) for a, b, c in found["chain"]),
            }
        )


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
        "sequential_s": result.sequential_s,
        "chain": [(it.operation, name_of(it.urn), it.seconds) for it in result.critical.steps],
    }


def _refusal(workspace: Workspace, secrets: Mapping[str, str]) -> str:
    """Why the program would not make this of what the stack has on record."""
    state = workspace.deployment().get("resources") or []
    record = on_record.Record({it["urn"]: it for it in state})
    try:
        changes.check(planned(workspace, secrets), record, workspace.stack)
    except (ConfigError, TwoRunsError) as error:
        return str(error)
    return ""


def main(stack: str, folder: Path, out: Path) -> int:
    workspace = Workspace(folder, stack)
    options = RunOptions(math.inf, Faults(), lambda line: print(line, flush=True))
    try:
        with workspace.lock():
            secrets = workspace.prepare([])
            why = ""
            result = refused(workspace, "preview", secrets)
            if result is None:
                why = _refusal(workspace, secrets)
                with on_record.hidden():
                    result = Engine(workspace, secrets).run("preview", options)
        found = {**summary(result), "refusal": why}
    except UserError as error:
        failed = Preview(False, (str(error),), (), {}, 0.0, 0.0, ())
        found = {**failed.__dict__}
    out.write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
