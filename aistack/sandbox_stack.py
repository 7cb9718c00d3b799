"""A stack of the sandbox, whose cluster is a real control plane on this machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aistack.errors import VerbError
from aistack.stack import Stack
from cli.kube_mode import KubeMode
from cli.next_steps import command
from cli.project import stack_names
from kube.text import nearest
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.workspace import Workspace


def sandbox_stack(folder: Path, name: str | None) -> Stack:
    """By default the only one that is up. Raises VerbError."""
    root = folder.resolve()
    workspace = Workspace(root, name or _only(root))
    found = _in(workspace)
    clusters = Clusters(workspace.cloud(), workspace.cloud_file)
    for cluster in clusters.cloud.find(Cluster.token):
        place = (cluster["location"], cluster["name"])
        asked = (found.outputs.get("cluster_location"), found.outputs.get("cluster_name"))
        if place == asked and clusters.is_live(cluster):
            file = clusters.control_plane(cluster).kubeconfig
            return replace(found, kubeconfig_file=file, environment=workspace.cli_environment)
    if workspace.stack not in (known := stack_names()):
        near = nearest(workspace.stack, known)
        raise VerbError(f'--stack: "{workspace.stack}": there is no such stack{near}')
    raise VerbError(
        f'--stack: "{workspace.stack}": no cluster with a real control plane is up; '
        f"nearest: {command('up', workspace.stack, root, kube=KubeMode.real)}"
    )


def _only(root: Path) -> str:
    there = sorted((root / "stacks").glob("*")) if root.is_dir() else []
    up = [it.name for it in there if "cluster_name" in _in(Workspace(root, it.name)).outputs]
    if len(up) != 1:
        found = ", ".join(up) or "none"
        raise VerbError(f"--stack: which of the sandbox in {root.name} is meant? Up: {found}")
    return up[0]


def _in(workspace: Workspace) -> Stack:
    return Stack(name=workspace.stack, resources=workspace.deployment().get("resources") or [])
