"""One command of the sandbox, from its options to its report."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from review.cost import Amount, Cost, cost_of
from review.hourly import cost_lines
from review.losses import losses
from review.step import EngineStep
from sandbox.cloud.caller import Caller
from sandbox.clusters import Clusters
from sandbox.engine import Engine, RunOptions, RunResult, Verb
from sandbox.failed_jobs import fail_jobs
from sandbox.faults import Faults
from sandbox.first_step import Course, courses
from sandbox.in_use import refuse_platform_in_use
from sandbox.json_file import check_json_file
from sandbox.kube_choice import is_real, said
from sandbox.kube_mode import KubeMode
from sandbox.own_name import refuse_taken_name
from sandbox.refused import planned, refused
from sandbox.report import print_report
from sandbox.workspace import Workspace
from stacks.plan import Plan

# What a shell makes of a process that SIGINT ended.
INTERRUPTED = 130


def run_verb(
    workspace: Workspace,
    verb: Verb,
    speed: float,
    overrides: list[str],
    fault: Path | None,
    json_file: Path | None,
    project: Path | None,
    kube: KubeMode,
    roles: tuple[str, ...] = (),
    only: Mapping[str, Any] | None = None,
) -> int:
    """Run a Pulumi verb and report it; the exit code is 0 only when the engine said yes."""
    check_json_file(json_file)
    real = is_real(workspace, kube)
    caller, faults = Caller(roles), Faults.load(fault)
    result = run(workspace, verb, speed, overrides, faults, project, real, caller=caller, only=only)
    if json_file is not None:
        summary = {**result.to_json(), "usd_hour": usd_hour(result, workspace)}
        json_file.write_text(json.dumps(summary, indent=2) + "\n")
    print_report(result, workspace.root, overrides, kube)
    if verb in ("preview", "up"):
        print(said(workspace, real=real), flush=True)
        _print_losses(result, workspace)
        print_cost(result, workspace)
    if result.interrupted:
        print(f"interrupted; `{verb}` again picks up from there", file=sys.stderr)
        return INTERRUPTED
    return 0 if result.ok else 1


def _print_losses(result: RunResult, workspace: Workspace) -> None:
    """Protection is off in most stacks here, and then the program itself says nothing of them."""
    steps = [step for it in result.report.step_events if (step := EngineStep.of_event(it))]
    if lines := list(losses(steps, workspace.catalog())):
        print("what this takes away:")
        print("\n".join(f"  {line}" for line in lines), flush=True)


def print_cost(result: RunResult, workspace: Workspace) -> None:
    """What the stack costs an hour, before the run and after it."""
    if result.ok:
        print("what it costs:")
        lines = cost_lines(*_bills(result, workspace), _to_first_step(result))
        print("\n".join(f"  {line}" for line in lines), flush=True)


def usd_hour(result: RunResult, workspace: Workspace) -> dict[str, Any]:
    """The same as numbers, of what has a price that is known."""
    before, after = _bills(result, workspace)
    return {"before": asdict(before.hourly), "after": asdict(after.hourly)}


def _to_first_step(result: RunResult) -> Amount | None:
    """For accelerators before there is work on them; of a preview that makes both."""
    chosen = next((it for it in result.courses if it.chosen), None)
    return None if chosen is None or chosen.usd is None else Amount(*chosen.usd)


def _bills(result: RunResult, workspace: Workspace) -> tuple[Cost, Cost]:
    catalog = workspace.catalog()
    return cost_of(result.stood.items(), catalog), cost_of(result.stands.items(), catalog)


def run(
    workspace: Workspace,
    verb: Verb,
    speed: float,
    overrides: list[str],
    faults: Faults,
    project: Path | None = None,
    real_kube: bool = False,
    *,
    locked: bool = False,
    caller: Caller | None = None,
    only: Mapping[str, Any] | None = None,
) -> RunResult:
    """Run a Pulumi verb with the engine's own live output; with `real_kube` a new cluster gets a
    real control plane. `locked`: the caller holds the workspace's lock."""
    with nullcontext() if locked else workspace.lock():
        return _run(
            workspace,
            verb,
            overrides,
            project,
            RunOptions(
                speed=speed,
                faults=faults,
                on_output=lambda line: print(line, flush=True),
                color=sys.stdout.isatty(),
                real_kube=real_kube,
                caller=caller or Caller(),
                only=only or {},
            ),
        )


def _run(
    workspace: Workspace,
    verb: Verb,
    overrides: list[str],
    project: Path | None,
    options: RunOptions,
) -> RunResult:
    if project is not None:
        workspace.use_project(project)
    secrets = workspace.prepare(overrides)
    if verb in ("preview", "up"):
        refuse_taken_name(workspace)
    if verb == "destroy":
        refuse_platform_in_use(workspace)
    if options.faults.failed_jobs:
        clusters = Clusters(workspace.cloud(), workspace.cloud_file)
        fail_jobs(clusters, options.faults.failed_jobs)
    if (wrong := refused(workspace, verb, secrets)) is not None:
        return wrong
    result = Engine(workspace, secrets).run(verb, options)
    if result.plan:
        plan = planned(workspace, secrets)
        result.courses = courses_of(result, plan, workspace)
    return result


def courses_of(result: RunResult, plan: Plan, workspace: Workspace) -> list[Course]:
    """The ways to the first step of what was previewed."""
    planned_run = (result.plan, result.steps, result.dependencies, result.stands)
    return courses(plan, *planned_run, workspace.durations())
