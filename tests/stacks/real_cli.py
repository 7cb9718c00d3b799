"""Commands that run the real CLI on a sandbox's stack, as a user does on a real one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cli.project import PROJECT_FOLDER
from cli.pulumi_cli import binary
from sandbox.imports import stand_ins
from tests.stacks.conftest import Sandbox


def with_providers(
    sandbox: Sandbox, command: Sequence[str], says: str | None = None, *folders: Path
) -> str:
    """What a command says that finds the CLI on its PATH, behind the folders, and the stand-ins in
    place of the plugins."""
    workspace = sandbox.workspace
    path = os.pathsep.join((*map(str, folders), str(binary().parent), os.environ["PATH"]))
    with stand_ins(workspace, sandbox.clusters) as environment:
        done = subprocess.run(
            command,
            input=says,
            cwd=workspace.work_dir,
            env={**environment, "PYTHONPATH": str(PROJECT_FOLDER), "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
