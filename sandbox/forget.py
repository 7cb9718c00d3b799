"""`reset`: forgets one stack, or the whole sandbox."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from cli.errors import UserError
from cli.lines import say
from cli.pulumi_cli import binary
from sandbox.clusters import Clusters
from sandbox.folder import delete_own, require_sandbox
from sandbox.locks import engine_pid
from sandbox.workspace import Workspace


def forget(workspace: Workspace) -> None:
    """Drop one stack's state and resources, or, without a stack's name, the whole sandbox."""
    require_sandbox(workspace.root)
    with workspace.lock():
        if pid := engine_pid(workspace.backend):
            raise UserError(
                f"{workspace.root.name}: a Pulumi engine is still at work here (process {pid}); "
                "nearest: wait until it has ended"
            )
        if workspace.stack:
            _forget_stack(workspace)
        else:
            _end_control_planes(workspace.root)
            delete_own(workspace.root)
            say("forgotten: every stack of this sandbox")


def _forget_stack(workspace: Workspace) -> None:
    states = list(workspace.state_files())
    if not (states or workspace.work_dir.exists()):
        there = [it.stack for it in workspace.beside()]
        raise UserError(
            f'--stack: "{workspace.stack}" was never run here, and nothing was deleted; stacks of '
            f"this sandbox: {', '.join(there) or 'none'}"
        )
    cloud = workspace.cloud()
    gone = sum(len(ids) for ids in cloud.inventory(workspace.stack).values())
    cloud.forget_stack(workspace.stack)
    Clusters(cloud, workspace.cloud_file).sweep()
    if workspace.work_dir.exists():
        subprocess.run(
            [str(binary()), "stack", "rm", "--force", "--yes", "--stack", workspace.stack],
            cwd=workspace.work_dir,
            env=workspace.cli_environment,
            capture_output=True,
            check=False,
        )
    for state in states:
        state.unlink(missing_ok=True)
    shutil.rmtree(workspace.work_dir, ignore_errors=True)
    say(f"forgotten: {workspace.stack}, and {gone} resources of its in the simulated cloud")


def _end_control_planes(root: Path) -> None:
    folders = list((root / "kube").glob("*/"))
    if folders:
        from sandbox.control_plane import ControlPlane

        for folder in folders:
            ControlPlane(folder).stop()
