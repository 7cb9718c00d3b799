"""One command of the sandbox, from its options to its report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from sandbox.engine import Engine, RunOptions, RunResult, Verb
from sandbox.faults import Faults
from sandbox.pulumi_cli import binary, cli_environment
from sandbox.report import print_report
from sandbox.workspace import Workspace


def run_verb(
    workspace: Workspace,
    verb: Verb,
    speed: float,
    overrides: list[str],
    fault: Path | None,
    json_file: Path | None,
    project: Path | None,
    real_kube: bool,
) -> bool:
    """Run a Pulumi verb and report it; False when the engine said no."""
    result = run(workspace, verb, speed, overrides, Faults.load(fault), project, real_kube)
    if json_file is not None:
        json_file.write_text(json.dumps(result.to_json(), indent=2) + "\n")
    print_report(result)
    return result.ok


def run(
    workspace: Workspace,
    verb: Verb,
    speed: float,
    overrides: list[str],
    faults: Faults,
    project: Path | None = None,
    real_kube: bool = False,
) -> RunResult:
    """Run a Pulumi verb with the engine's own live output; with `real_kube` a new cluster gets a
    real control plane."""
    options = RunOptions(
        speed=speed,
        faults=faults,
        on_output=lambda line: print(line, flush=True),
        color=sys.stdout.isatty(),
        real_kube=real_kube,
    )
    with workspace.lock():
        if project is not None:
            workspace.use_project(project)
        secrets = workspace.prepare(overrides)
        return Engine(workspace, secrets).run(verb, options)


def forget(workspace: Workspace) -> None:
    """Drop one stack's state and resources, or, without a stack's name, the whole folder."""
    with workspace.lock():
        if workspace.stack and workspace.work_dir.exists():
            subprocess.run(
                [str(binary()), "stack", "rm", "--force", "--yes", "--stack", workspace.stack],
                cwd=workspace.work_dir,
                env=cli_environment(workspace),
                capture_output=True,
                check=False,
            )
            workspace.cloud().forget_stack(workspace.stack)
    workspace.remove()
    print(f"forgotten: {workspace.stack or 'every stack of this sandbox'}")
