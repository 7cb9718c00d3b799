"""What `--kube` comes to on this machine, and for the clusters that are there."""

from __future__ import annotations

from dataclasses import replace

from cli.errors import UserError
from cli.kube_mode import KubeMode
from cli.next_steps import command
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.control_plane.binaries import binary, is_built
from sandbox.workspace import Workspace

REAL = (
    "Kubernetes: a real control plane, with the real Kueue, KubeRay and JobSet, on simulated nodes"
)
IN_MEMORY = (
    "Kubernetes: in memory, where queued work is admitted at once and no quota is counted. `make "
    "kube-tools` builds a real control plane with the real Kueue, which new clusters then have"
)


def is_real(workspace: Workspace, asked: KubeMode) -> bool:
    """Whether a new cluster gets a real control plane. Raises UserError for one that is not built,
    and for a cluster that is there and not as asked."""
    if asked is KubeMode.auto:
        return is_built()
    real = asked is KubeMode.real
    if real:
        binary("kube-apiserver")
    for name, live in _there(workspace).items():
        if live != real:
            has = "a real control plane" if live else "in memory"
            raise UserError(
                f"--kube: {asked}: cluster {name} is there, with its objects {has}; "
                "nearest: destroy it first, or another --folder"
            )
    return real


def none_real(workspace: Workspace) -> str:
    """Why the stack has no real control plane, and what there is in its place."""
    stack, root = workspace.stack, workspace.root
    up = command("up", stack, root, kube=KubeMode.real)
    if not _stood_on(workspace):
        return f'--stack: "{stack}": no cluster with a real control plane is up; nearest: {up}'
    again = f", or {command('destroy', stack, root)} && {up}" if _there(workspace) else ""
    return (
        f'--stack: "{stack}": its cluster is in memory, where no API server can be asked; nearest: '
        f"{command('status', stack, root)}{again}"
    )


def has_queues(workspace: Workspace) -> bool:
    return workspace.stack_object().get("queues") is not None


def said(workspace: Workspace, *, real: bool) -> str:
    """Which it is, for the cluster that the stack made or stands on, else for a new one."""
    there = _stood_on(workspace)
    return REAL if all(there) and (there or real) else IN_MEMORY


def _stood_on(workspace: Workspace) -> list[bool]:
    """Whether the stack's own cluster has a real control plane, or the one of a platform or of
    nobody's that its config names; nothing where there is none."""
    match workspace.stack_object().get("cluster"):
        case {"stack": str(platform)}:
            return [*_there(replace(workspace, stack=platform.rpartition("/")[2])).values()]
        case {"existing": {"name": str(name)}}:
            clusters = Clusters(workspace.cloud(), workspace.cloud_file)
            found = clusters.cloud.find(Cluster.token)
            return [clusters.is_live(it) for it in found if it["name"] == name]
        case _:
            return [*_there(workspace).values()]


def _there(workspace: Workspace) -> dict[str, bool]:
    """The stack's own clusters by name: whether they have a real control plane."""
    if not workspace.config_file.exists():
        return {}
    clusters = Clusters(workspace.cloud(), workspace.cloud_file)
    own = clusters.cloud.inventory(workspace.stack).get(Cluster.token, [])
    found = [it for it in clusters.cloud.find(Cluster.token) if it.id in own]
    return {it["name"]: clusters.is_live(it) for it in found}
