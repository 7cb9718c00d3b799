"""One command of the sandbox, from its options to its report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from cli.errors import UserError
from cli.kube_mode import KubeMode
from cli.lines import INTERRUPTED, say, say_aside
from cli.next_steps import NEW_PROJECT
from cli.urns import name_of, token_of
from review.cost import Amount, Cost, cost_of
from review.hourly import cost_lines
from review.losses import losses
from review.step import EngineStep
from sandbox.cloud.caller import Caller
from sandbox.cloud.kinds import KINDS
from sandbox.cloud.kinds.node_pool import RUNNING, status_of
from sandbox.cloud.kinds.pools import POOL
from sandbox.clusters import Clusters
from sandbox.engine import Engine, RunOptions, RunResult, Verb
from sandbox.estimate import Unknown
from sandbox.failed_jobs import fail_jobs
from sandbox.faults import Faults
from sandbox.in_use import refuse_platform_in_use
from sandbox.json_file import json_output
from sandbox.kube_choice import has_queues, is_real, said
from sandbox.live_output import LiveOutput
from sandbox.of_stacks.failure import Context, failure_lines
from sandbox.of_stacks.first_step import Course, courses
from sandbox.of_stacks.people_runs import after_preview, before_destroy, before_up
from sandbox.of_stacks.refused import not_run, planned, refused
from sandbox.report import print_report
from sandbox.secrets import secret_from_environment
from sandbox.status import refuse_never_run
from sandbox.targets import target_urns
from sandbox.workspace import Workspace
from stacks.config import ConfigError
from stacks.out_of_stock import LACKS
from stacks.plan import Plan


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
    with json_output(json_file) as write:
        real = is_real(workspace, kube)
        caller, faults = Caller(roles), Faults.load(fault)
        result = run(
            workspace, verb, speed, overrides, faults, project, real, caller=caller, only=only
        )
        usd = result.unknown.estimate(
            "the cost", lambda: usd_hour(result, workspace), dict[str, Any]
        )
        write({**result.to_json(), "usd_hour": usd})
        protected = workspace.is_protected
        print_report(result, workspace.root, overrides, kube, protected=protected)
        if verb in ("preview", "up"):
            _print_after(result, workspace, real=real)
    if result.interrupted:
        say_aside(f"interrupted; `{verb}` again picks up from there")
        return INTERRUPTED
    return 0 if result.ok else 1


def _print_after(result: RunResult, workspace: Workspace, *, real: bool) -> None:
    """What a preview or an `up` comes to, and what a real one would need besides."""
    if result.ok and result.operation == "up" and has_queues(workspace):
        say(said(workspace, real=real))
    _print_losses(result, workspace)
    print_cost(result, workspace)
    if result.ok:
        for line in _of_a_real_stack(workspace):
            say(line)


def _of_a_real_stack(workspace: Workspace) -> Iterator[str]:
    """What a real stack is still to be given, and what it has that nobody can see here."""
    stack = workspace.stack
    for key in workspace.secrets_to_set():
        name = key.partition(":")[2]
        given = secret_from_environment(key)
        what = f"from {name.upper()}, on the sandbox alone" if given else "a placeholder"
        command = f"pulumi config set --secret {name} --stack {stack}"
        yield f"{name}: {what}; before a real up: {command}"
    if workspace.user_file().environments:
        yield (
            f"environment: Pulumi.{stack}.yaml has values from Pulumi ESC, which the sandbox does "
            "not read; a real stack has them, too"
        )


def _print_losses(result: RunResult, workspace: Workspace) -> None:
    """Protection is off in most stacks here, and then the program itself says nothing of them."""
    steps = [step for it in result.report.step_events if (step := EngineStep.of_event(it))]
    if lines := list(losses(steps, workspace.catalog())):
        say("what this takes away:")
        for line in lines:
            say(f"  {line}")


def print_cost(result: RunResult, workspace: Workspace) -> None:
    """What the stack costs an hour, before the run and after it: an `up` that failed leaves things
    that are paid for."""
    if result.ok or (result.operation == "up" and result.stands and result.steps):
        bill = Unknown()
        lines = bill.estimate(
            "the cost",
            lambda: list(cost_lines(*_bills(result, workspace), _to_first_step(result))),
            list[str],
        )
        say("what it costs:" if result.ok else "what was made, and costs:")
        for line in [*lines, *bill.lines]:
            say(f"  {line}")


def usd_hour(result: RunResult, workspace: Workspace) -> dict[str, Any]:
    """The same as numbers, of what has a price that is known, and the accelerators without one."""
    return {
        when: {**asdict(it.hourly), "unpriced_accelerators": [one.what for one in it.unpriced]}
        for when, it in zip(("before", "after"), _bills(result, workspace), strict=True)
    }


def _to_first_step(result: RunResult) -> Amount | None:
    """For accelerators before there is work on them; of a preview that makes both."""
    chosen = next((it for it in result.courses if it.chosen), None)
    return None if chosen is None or chosen.usd is None else Amount(*chosen.usd)


def _bills(result: RunResult, workspace: Workspace) -> tuple[Cost, Cost]:
    catalog = workspace.catalog()
    came = {} if result.ok else _machines_that_came(result, workspace)
    return cost_of(result.stood.items(), catalog), cost_of(result.stands.items(), catalog, came)


def _machines_that_came(result: RunResult, workspace: Workspace) -> dict[str, int]:
    """Of the pools in an error state, by their logical names."""
    cloud, pools = workspace.cloud(), KINDS[POOL]
    found = {
        name_of(urn): cloud.get(pools.identify(it))
        for urn, it in result.stands.items()
        if token_of(urn) == POOL
    }
    return {
        name: cloud.short[pool.id]
        for name, pool in found.items()
        if pool is not None and status_of(pool, cloud) != RUNNING
    }


def run(
    workspace: Workspace,
    verb: Verb,
    speed: float,
    overrides: list[str],
    faults: Faults,
    project: Path | None = None,
    real_kube: bool = False,
    *,
    caller: Caller | None = None,
    only: Mapping[str, Any] | None = None,
    tell: Callable[[str], None] = say,
) -> RunResult:
    """Run a Pulumi verb, and `tell` the engine's own live output; with `real_kube` a new cluster
    gets a real control plane."""
    # A new project wants an empty folder: nothing is written before.
    if not (workspace.project_folder / "Pulumi.yaml").exists():
        raise UserError(f"Pulumi.yaml: not here, nor in a folder above; nearest: {NEW_PROJECT}")
    with workspace.lock():
        return _run(
            workspace,
            verb,
            overrides,
            project,
            RunOptions(
                speed=speed,
                faults=faults,
                on_output=LiveOutput(tell, outputs=verb != "up"),
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
    if verb == "destroy" and not workspace.source.exists():
        raise UserError(workspace.no_source(deletes=True))
    if verb in ("destroy", "refresh"):
        end = ", and nothing was deleted" if verb == "destroy" else ""
        refuse_never_run(workspace, end)
    for key in ("target", "replace"):
        if named := options.only.get(key):
            urns = target_urns(workspace, named, f"--{key}")
            options = replace(options, only={**options.only, key: urns})
    secrets = workspace.prepare(overrides)
    if (stopped := _before(workspace, verb, secrets, options)) is not None:
        return stopped
    result = Engine(workspace, secrets).run(verb, options)
    if verb == "preview":
        after_preview(workspace, result, options)
    if not result.ok:
        context = _context(workspace, secrets)
        result.failure = list(failure_lines(result.report, context))
        result.report.drop_warnings(LACKS)
    if result.plan:
        plan = planned(workspace, secrets)
        result.courses = courses_of(result, plan, workspace)
    return result


def _before(
    workspace: Workspace, verb: Verb, secrets: Mapping[str, str], options: RunOptions
) -> RunResult | None:
    """What stops a run before the engine does anything. Raises UserError."""
    if verb == "destroy":
        refuse_platform_in_use(workspace)
        before_destroy(workspace, options)
    if options.faults.failed_jobs:
        clusters = Clusters(workspace.cloud(), workspace.cloud_file)
        fail_jobs(clusters, options.faults.failed_jobs)
    if (wrong := refused(workspace, verb, secrets)) is not None:
        return wrong
    if verb == "up" and (reason := before_up(workspace, secrets, options)) is not None:
        return not_run(workspace, verb, reason)
    return None


def _context(workspace: Workspace, secrets: Mapping[str, str]) -> Context:
    try:
        plan = planned(workspace, secrets)
    except ConfigError:
        plan = None
    roles = f"make roles STACK={workspace.stack}"
    grants = f"make kms-grants STACK={workspace.stack}"
    cloud = workspace.cloud()
    own = cloud.inventory(workspace.stack).get(POOL, ())
    short = {it.rpartition("/")[2]: came for it, came in cloud.short.items() if it in own}
    has_project = workspace.project_file.exists()
    return Context(plan, roles, grants, has_project=has_project, short=short)


def courses_of(result: RunResult, plan: Plan, workspace: Workspace) -> list[Course]:
    """The ways to the first step of what was previewed."""
    planned_run = (result.plan, result.steps, result.dependencies, result.stands)
    return result.unknown.estimate(
        "the ways to the first step",
        lambda: courses(plan, *planned_run, workspace.durations()),
        list[Course],
    )
