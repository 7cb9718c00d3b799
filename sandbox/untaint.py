"""`pulumi state untaint --all` of a stack of the sandbox."""

from __future__ import annotations

import shlex
import subprocess

from cli.errors import UserError
from cli.lines import say
from cli.pulumi_cli import binary
from sandbox.status import refuse_never_run
from sandbox.workspace import Workspace


def untaint(workspace: Workspace) -> None:
    """Raises UserError."""
    refuse_never_run(workspace)
    words = ["state", "untaint", "--all", "--yes", "--stack", workspace.stack]
    with workspace.lock():
        done = subprocess.run(
            [str(binary()), *words],
            text=True,
            cwd=workspace.work_dir,
            env=workspace.cli_environment,
            capture_output=True,
            check=False,
        )
    if done.returncode:
        raise UserError(f"`pulumi {shlex.join(words)}`: {done.stderr.strip()}")
    say(*done.stdout.strip().splitlines())
