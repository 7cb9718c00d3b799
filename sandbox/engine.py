"""Drives the real Pulumi engine over one stack, with the stand-ins in place of the cloud."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from pulumi.automation import (
    CommandError,
    LocalWorkspace,
    PulumiCommand,
    Stack,
    UpdateSummary,
)

from catalog.durations import Durations
from cli.errors import UserError
from cli.pulumi_cli import BUILT, binary, is_built
from cli.urns import state_dependencies
from sandbox import deployment, engine_channels, killed_runs
from sandbox.clock import VirtualClock
from sandbox.cloud.caller import Caller
from sandbox.clusters import Clusters
from sandbox.engine_end import PANIC_LOG, engine_end, panic_of
from sandbox.estimate import Estimate, Unknown, estimate_of
from sandbox.events import EngineReport
from sandbox.faults import Faults
from sandbox.interrupts import Interrupts
from sandbox.journal import Journal
from sandbox.locks import engine_pid
from sandbox.plan import (
    in_one_order,
    new_inputs,
    planned_order,
    planned_steps,
    renewed_pools,
    value_sources,
)
from sandbox.planned_pulls import with_pulls
from sandbox.program import load_program
from sandbox.providers.operations import Operations
from sandbox.providers.server import ProviderServer
from sandbox.providers.stand_ins import serve_all
from sandbox.removal import data_last
from sandbox.run_result import RunResult, Verb
from sandbox.schedule import TimedStep
from sandbox.status import everything, of_stack
from sandbox.system_pods import homeless
from sandbox.workspace import Workspace

# As many as the graph has: how many operations run at once is the cloud's limit to set, not the
# engine's.
PARALLEL = 64
_VERBS = ("preview", "up", "refresh", "destroy")


@dataclass(frozen=True)
class RunOptions:
    """What a user can ask of one run; `real_kube`: new clusters get a real control plane. `only` is
    the part of the stack that a destroy is for, as the Automation API takes it."""

    speed: float
    faults: Faults
    on_output: Callable[[str], None]
    color: bool = False
    real_kube: bool = False
    caller: Caller = field(default_factory=Caller)
    only: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Engine:
    """One stack of the sandbox under the real engine."""

    def __init__(self, workspace: Workspace, secrets: Mapping[str, str] | None = None) -> None:
        self._workspace = workspace
        self._secrets = dict(secrets or {})

    def run(self, verb: Verb, options: RunOptions) -> RunResult:
        """Run one Pulumi verb; a failed run is a result, not an exception."""
        engine_channels.keep_apart()
        began = time.monotonic()
        cloud = self._workspace.cloud(options.faults, real_control_planes=options.real_kube)
        cloud.caller = options.caller
        cloud.begin_run()
        clusters = Clusters(cloud, self._workspace.cloud_file)
        # A pool whose caller died has its nodes by now.
        clusters.settle()
        clock, journal, report = VirtualClock(options.speed), Journal(), EngineReport()
        before: dict[str, Any] = {}
        durations = self._workspace.durations()
        owner = partial(engine_pid, self._workspace.backend)
        operations = Operations(cloud, clock, journal, durations, owner)
        with ProviderServer(clock) as server:
            serve_all(server, clusters, operations, fills_in=self._workspace.is_program)
            stood = self._workspace.deployment()
            is_new = not any(self._workspace.state_files())
            stack = self._open(server.address, is_new=is_new)
            if verb == "preview":
                before = stood
                killed_runs.tell_pending(before, options.on_output)
            else:
                killed_runs.unlock(stack, self._workspace, options.on_output)
                if not is_new:
                    said = options.on_output
                    before = killed_runs.adopt(stack, self._workspace, cloud, said, PARALLEL)
                    options = _without_deleted_targets(options, stood, before)
            operations.pulls.stand(deployment.resources(before))
            with Interrupts(owner) as interrupts:
                # To the CLI no target is everything.
                nothing_left = options.only.get("target") == []
                ok = nothing_left or self._call(stack, verb, options, report, interrupts)
            after = {} if verb == "preview" else self._state_after(options)
        report.settle_aliases()
        journal.settle_aliases(report.aliased)
        before = deployment.with_urns(before, report.aliased)
        plan = self._plan(report.aliased) if verb == "preview" else {}
        unknown = Unknown()
        if verb == "preview":
            stands = new_inputs(report)
            for urn, problem in homeless(stands, deployment.inputs(before), cloud) if ok else ():
                report.note(problem, urn, is_error=True)
                options.on_output(f"error: {problem}")
                ok = False
            estimate = _preview_estimate(plan, report, before, durations, unknown)
        else:
            stands = deployment.inputs(after)
            estimate = _run_estimate(verb, journal, operations, (before, after), durations, unknown)
        return RunResult(
            operation=verb,
            stack=self._workspace.stack,
            ok=ok,
            report=report,
            makespan_s=estimate.seconds or 0.0,
            bounds=estimate.bounds,
            own_durations=durations.own is not None,
            sequential_s=sum(step.seconds for step in estimate.steps),
            critical=estimate.critical,
            wall_s=time.monotonic() - began,
            outputs=deployment.previewed_outputs(report.outputs)
            if verb == "preview"
            else deployment.stack_outputs(after),
            cloud=everything(clusters),
            own=of_stack(clusters, self._workspace.urn_stack, after),
            timeline=journal.steps,
            plan=plan,
            steps=estimate.steps,
            dependencies=estimate.dependencies,
            unknown=unknown,
            interrupted=interrupts.received,
            stood=deployment.inputs(before),
            stands=stands,
        )

    def _open(self, providers: str, *, is_new: bool) -> Stack:
        local = self._local(self._workspace.run_folder, providers)
        # Each call of the CLI costs some 0.4 s of a core. Every verb names its stack, so none has
        # to be selected; and what the Automation API asks after each verb, for outputs and
        # history, is read here from the events and the state.
        local.select_stack = _nothing  # type: ignore[method-assign]
        if self._workspace.is_program:
            # In its own folder this would write into the program's config.
            local.create_stack = self._local(self._workspace.work_dir, providers).create_stack
        stack = (Stack.create if is_new else Stack.select)(self._workspace.stack, local)
        if self._workspace.is_program:
            for verb in _VERBS:
                with_copy = partial(
                    getattr(stack, verb), config_file=str(self._workspace.config_file)
                )
                setattr(stack, verb, with_copy)
        stack.outputs = dict  # type: ignore[method-assign]
        stack.info = lambda show_secrets=True: _NO_SUMMARY  # type: ignore[method-assign]
        for key, value in self._secrets.items():
            self._set_secret(key, value)
        return stack

    def _local(self, folder: Path, providers: str) -> LocalWorkspace:
        own = self._workspace
        return LocalWorkspace(
            work_dir=str(folder),
            pulumi_home=str(own.home),
            # With the language host that stands beside it.
            pulumi_command=PulumiCommand(root=str(own.root))
            if own.is_program
            else _pulumi_command(),
            env_vars={**own.environment, "PULUMI_DEBUG_PROVIDERS": providers},
            program=None if own.is_program else partial(load_program, own.project_folder),
        )

    def _set_secret(self, key: str, value: str) -> None:
        """Encrypt through standard input: `pulumi config set` would show the value in the process
        list."""
        done = subprocess.run(
            [str(binary()), "config", "set", "--secret", "--stack", self._workspace.stack, key],
            input=value,
            text=True,
            cwd=self._workspace.work_dir,
            env=self._workspace.cli_environment,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise UserError(f"{key}: could not be encrypted: {done.stderr.strip()}")
        self._workspace.remember_secret(key, value)

    def _call(
        self,
        stack: Stack,
        verb: Verb,
        options: RunOptions,
        report: EngineReport,
        interrupts: Interrupts,
    ) -> bool:
        def said(line: str) -> None:
            interrupts.hear(line)
            options.on_output(line)

        color = "always" if options.color else "never"
        common: dict[str, Any] = {
            "on_output": said,
            "on_event": report.take,
            "color": color,
            "parallel": PARALLEL,
        }
        try:
            if verb == "preview":
                stack.preview(plan=str(self._workspace.plan_file), **common, **options.only)
            else:
                # The other verbs are methods of their names.
                getattr(stack, verb)(show_secrets=False, **common, **options.only)
        except CommandError as error:
            said_last = str(error)
            if panic := panic_of(said_last, self._workspace.work_dir / PANIC_LOG):
                report.note(panic, None, is_error=True)
            elif not report.failed:
                report.diagnostics.append(engine_end(said_last, verb))
            report.end()
            return False
        return True

    def _plan(self, aliased: Mapping[str, str]) -> dict[str, Any]:
        """What a preview says would be done, by URN; empty when it failed. `aliased` has by the URN
        in the state the one in the program: what goes first is planned under the former."""
        file = self._workspace.plan_file
        if not file.exists():
            return {}
        plans = json.loads(file.read_text())["resourcePlans"]
        file.unlink()
        for urn in aliased.keys() & plans.keys():
            goes = plans.pop(urn)
            planned = plans.setdefault(aliased[urn], {**goes, "steps": []})
            planned["steps"] = [*(goes.get("steps") or []), *(planned.get("steps") or [])]
        return plans

    def _state_after(self, options: RunOptions) -> dict[str, Any]:
        try:
            return self._workspace.deployment()
        except UserError as error:
            options.on_output(str(error))
            return {}


_NO_SUMMARY = UpdateSummary("", datetime.min, "", {}, {}, "")


@cache
def _pulumi_command() -> PulumiCommand:
    """Raises UserError."""
    return PulumiCommand(root=str(BUILT)) if is_built(binary()) else PulumiCommand()


def _nothing(stack_name: str) -> None:
    pass


def _without_deleted_targets(
    options: RunOptions, before: dict[str, Any], after: dict[str, Any]
) -> RunOptions:
    """To the engine, a target that the look-up took out of the state is no resource."""
    targets = options.only.get("target")
    if not targets:
        return options
    stood, stands = ({it["urn"] for it in deployment.resources(state)} for state in (before, after))
    left = [it for it in targets if it not in stood - stands]
    return replace(options, only={**options.only, "target": left})


def _preview_estimate(
    plan: Mapping[str, Any],
    report: EngineReport,
    before: Mapping[str, Any],
    durations: Durations,
    unknown: Unknown,
) -> Estimate:
    stands = new_inputs(report)
    renewed = renewed_pools(deployment.inputs(before), stands)
    planned, wanted = planned_steps(plan, durations, stands, planned_order(report), renewed)
    # The plan has no dependencies of what goes.
    dependencies = {**state_dependencies(deployment.current(before)), **wanted}
    steps = in_one_order(planned, dependencies)
    with_images = unknown.estimate(
        "the pulls of images",
        lambda: with_pulls(steps, dependencies, stands, durations, value_sources(plan)),
        lambda: (steps, dependencies, dict(stands)),
    )
    return estimate_of(*with_images, durations, unknown)


def _run_estimate(
    verb: Verb,
    journal: Journal,
    operations: Operations,
    states: tuple[Mapping[str, Any], Mapping[str, Any]],
    durations: Durations,
    unknown: Unknown,
) -> Estimate:
    old, new = states
    renewed = renewed_pools(deployment.inputs(old), deployment.inputs(new))
    steps = [
        TimedStep(s.urn, s.operation, s.seconds, s.operation == "update" and s.urn in renewed)
        for s in journal.steps
        if s.ok
    ]
    # What stands after the run waited for its new dependencies alone.
    known = {
        **state_dependencies(deployment.current(old)),
        **state_dependencies(deployment.current(new)),
    }
    dependencies = operations.pulls.beside(known)
    inputs = {**deployment.inputs(old), **deployment.inputs(new), **operations.pulls.inputs}
    if verb == "destroy":
        dependencies = data_last(dependencies, inputs)
    return estimate_of(steps, dependencies, inputs, durations, unknown, journal.makespan)
