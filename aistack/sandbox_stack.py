"""A stack of the sandbox, whose cluster is a real control plane on this machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aistack.errors import VerbError
from aistack.stack import Stack
from cli.kube_mode import KubeMode
from cli.next_steps import command
from cli.project import no_such_stack
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.kube_choice import none_real
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
    if said := no_such_stack(workspace.stack):
        raise VerbError(said)
    raise VerbError(none_real(workspace))


def _only(root: Path) -> str:
    there = sorted((root / "stacks").glob("*")) if root.is_dir() else []
    up = [it.name for it in there if "cluster_name" in _in(Workspace(root, it.name)).outputs]
    if not up:
        raise VerbError(
            f"--sandbox: no stack is up in {root.name}; "
            f"nearest: {command('up', 'NAME', root, kube=KubeMode.real)}"
        )
    if len(up) > 1:
        which = ", ".join(f"--stack {it}" for it in up)
        raise VerbError(f"--stack: several stacks are up in {root.name}; nearest: {which}")
    return up[0]


def _in(workspace: Workspace) -> Stack:
    return Stack(name=workspace.stack, resources=workspace.deployment().get("resources") or [])
