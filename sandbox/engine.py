"""Drives the real Pulumi engine over one stack, with the stand-ins in place of the cloud."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from pulumi.automation import CommandError, EngineEvent, LocalWorkspace, Stack, UpdateSummary

from sandbox import deployment, engine_channels, killed_runs, state_copies
from sandbox.bounds import bounds
from sandbox.clock import VirtualClock
from sandbox.cloud.caller import Caller
from sandbox.cloud.cloud import Cloud
from sandbox.clusters import Clusters
from sandbox.errors import UserError
from sandbox.events import EngineReport
from sandbox.faults import Faults
from sandbox.interrupts import Interrupts
from sandbox.journal import Journal
from sandbox.locks import engine_pid
from sandbox.plan import new_inputs, planned_steps, value_sources
from sandbox.planned_pulls import with_pulls
from sandbox.program import load_program
from sandbox.providers.gcp import GcpStandIn
from sandbox.providers.kubernetes import KubernetesStandIn
from sandbox.providers.operations import Operations
from sandbox.providers.server import ProviderServer
from sandbox.pulumi_cli import binary, cli_environment, find_pulumi
from sandbox.removal import data_last
from sandbox.run_result import RunResult, Verb
from sandbox.schedule import TimedStep, critical_path, state_dependencies
from sandbox.status import everything
from sandbox.workspace import Workspace

# As many as the graph has: how many operations run at once is the cloud's limit to set, not the
# engine's.
PARALLEL = 64


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
            server.serve("gcp", "pulumi-gcp", GcpStandIn(clusters, operations))
            server.serve("kubernetes", "pulumi-kubernetes", KubernetesStandIn(clusters, operations))
            killed_runs.mend_state(self._workspace, options.on_output)
            is_new = not any(self._workspace.state_files())
            stack = self._open(server.address, is_new=is_new)
            if verb == "preview":
                before = self._workspace.deployment()
            else:
                killed_runs.unlock(stack, self._workspace, options.on_output)
                before = {} if is_new else self._recovered(stack, cloud, options)
            operations.pulls.stand(deployment.resources(before))
            with Interrupts(owner) as interrupts:
                ok = self._call(stack, verb, options, report, interrupts)
            after = {} if verb == "preview" else self._state_after(options)
        plan = self._plan() if verb == "preview" else {}
        if verb == "preview":
            stands = new_inputs(report)
            planned = planned_steps(plan, durations, stands)
            steps, dependencies, inputs = with_pulls(
                *planned, stands, durations, value_sources(plan)
            )
        else:
            steps = [TimedStep(s.urn, s.operation, s.seconds) for s in journal.steps if s.ok]
            known = [*deployment.resources(before), *deployment.resources(after)]
            dependencies = operations.pulls.beside(state_dependencies(known))
            stands = deployment.inputs(after)
            inputs = {**deployment.inputs(before), **stands, **operations.pulls.inputs}
            if verb == "destroy":
                dependencies = data_last(dependencies, inputs)
        critical = critical_path(steps, dependencies)
        likely = critical.seconds if verb == "preview" else journal.makespan
        return RunResult(
            operation=verb,
            stack=self._workspace.stack,
            ok=ok,
            report=report,
            makespan_s=likely,
            bounds=bounds(steps, dependencies, durations, inputs, likely),
            own_durations=durations.own is not None,
            sequential_s=sum(step.seconds for step in steps),
            critical=critical,
            wall_s=time.monotonic() - began,
            outputs=deployment.stack_outputs(after),
            cloud=everything(clusters),
            timeline=journal.steps,
            plan=plan,
            steps=steps,
            dependencies=dependencies,
            interrupted=interrupts.received,
            stood=deployment.inputs(before),
            stands=stands,
        )

    def _open(self, providers: str, *, is_new: bool) -> Stack:
        local = LocalWorkspace(
            work_dir=str(self._workspace.work_dir),
            pulumi_home=str(self._workspace.home),
            pulumi_command=find_pulumi(),
            env_vars={**self._workspace.environment, "PULUMI_DEBUG_PROVIDERS": providers},
            program=partial(load_program, self._workspace.project_folder),
        )
        # Each call of the CLI costs some 0.4 s of a core. Every verb names its stack, so none has
        # to be selected; and what the Automation API asks after each verb, for outputs and
        # history, is read here from the events and the state.
        local.select_stack = _nothing  # type: ignore[method-assign]
        stack = (Stack.create if is_new else Stack.select)(self._workspace.stack, local)
        stack.outputs = dict  # type: ignore[method-assign]
        stack.info = lambda show_secrets=True: _NO_SUMMARY  # type: ignore[method-assign]
        for key, value in self._secrets.items():
            self._set_secret(key, value)
        return stack

    def _set_secret(self, key: str, value: str) -> None:
        """Encrypt through standard input: `pulumi config set` would show the value in the process
        list."""
        done = subprocess.run(
            [str(binary()), "config", "set", "--secret", "--stack", self._workspace.stack, key],
            input=value,
            text=True,
            cwd=self._workspace.work_dir,
            env=cli_environment(self._workspace),
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
            "on_event": partial(self._take, report),
            "color": color,
            "parallel": PARALLEL,
        }
        try:
            if verb == "preview":
                stack.preview(plan=str(self._workspace.plan_file), **common)
            else:
                # The other verbs are methods of their names.
                getattr(stack, verb)(show_secrets=False, **common, **options.only)
        except CommandError as error:
            if not report.failed:
                report.diagnostics.append(_last_line(error))
            return False
        return True

    def _plan(self) -> dict[str, Any]:
        """What a preview says would be done, by URN; empty when it failed."""
        file = self._workspace.plan_file
        if not file.exists():
            return {}
        plans = json.loads(file.read_text())["resourcePlans"]
        file.unlink()
        return plans

    def _state_after(self, options: RunOptions) -> dict[str, Any]:
        try:
            killed_runs.mend_state(self._workspace, options.on_output)
            return self._workspace.deployment()
        except (OSError, ValueError, UserError):
            options.on_output(
                "the state cannot be read now; make room on the disk if it is full: the next "
                "command takes the last whole copy"
            )
            return {}

    def _take(self, report: EngineReport, event: EngineEvent) -> None:
        report.take(event)
        for state in self._workspace.state_files():
            state_copies.keep_few(state)

    def _recovered(self, stack: Stack, cloud: Cloud, options: RunOptions) -> dict[str, Any]:
        """The state, after looking up what a killed run left pending."""
        state = self._workspace.deployment()
        adopted = killed_runs.adopt(stack, state, cloud, options.on_output, PARALLEL)
        return state if adopted is None else self._workspace.deployment()


_NO_SUMMARY = UpdateSummary("", datetime.min, "", {}, {}, "")


def _nothing(stack_name: str) -> None:
    pass


def _last_line(error: CommandError) -> str:
    killed = re.search(r"code: -(\d+)", str(error))
    if killed:
        return f"the Pulumi engine was killed by signal {killed[1]}; `up` again picks up from there"
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].strip() if lines else "the engine ended without a message"
