"""A stack of the sandbox, whose cluster is a real control plane on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aistack.errors import VerbError
from aistack.stack import Stack
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.kube_mode import KubeMode
from sandbox.next_steps import command
from sandbox.pulumi_cli import cli_environment
from sandbox.urns import token_of
from sandbox.workspace import Workspace

_ROOT = "pulumi:pulumi:Stack"


def sandbox_stack(folder: Path, name: str | None) -> Stack:
    """By default the only one that is up. Raises VerbError."""
    root = folder.resolve()
    workspace = Workspace(root, name or _only(root))
    outputs = _outputs(workspace)
    clusters = Clusters(workspace.cloud(), workspace.cloud_file)
    for cluster in clusters.cloud.find(Cluster.token):
        place = (cluster["location"], cluster["name"])
        asked = (outputs.get("cluster_location"), outputs.get("cluster_name"))
        if place == asked and clusters.is_live(cluster):
            file = clusters.control_plane(cluster).kubeconfig
            return Stack(
                name=workspace.stack,
                outputs=outputs,
                kubeconfig_file=file,
                environment=cli_environment(workspace),
            )
    raise VerbError(
        f'--stack: "{workspace.stack}": no cluster with a real control plane is up; '
        f"nearest: {command('up', workspace.stack, root, kube=KubeMode.real)}"
    )


def _only(root: Path) -> str:
    there = sorted((root / "stacks").glob("*")) if root.is_dir() else []
    up = [it.name for it in there if _outputs(Workspace(root, it.name)).get("cluster_name")]
    if len(up) != 1:
        found = ", ".join(up) or "none"
        raise VerbError(f"--stack: which of the sandbox in {root.name} is meant? Up: {found}")
    return up[0]


def _outputs(workspace: Workspace) -> dict[str, Any]:
    for resource in workspace.deployment().get("resources") or []:
        if token_of(resource["urn"]) == _ROOT:
            return resource.get("outputs") or {}
    return {}
