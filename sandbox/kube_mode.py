"""Whether what `--kube` asks for can be had, before anything is done."""

from __future__ import annotations

from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.errors import UserError
from sandbox.workspace import Workspace


def refuse_change(workspace: Workspace, *, real: bool) -> None:
    """Raises UserError for a real control plane that is not built, or a cluster that is not so."""
    if real:
        from sandbox.control_plane.binaries import binary

        binary("kube-apiserver")
    if not workspace.config_file.exists():
        return
    clusters = Clusters(workspace.cloud(), workspace.cloud_file)
    own = clusters.cloud.inventory(workspace.stack).get(Cluster.token, [])
    for cluster in clusters.cloud.find(Cluster.token):
        if cluster.id in own and clusters.is_live(cluster) != real:
            asked, has = ("real", "in memory") if real else ("memory", "a real control plane")
            raise UserError(
                f"--kube: {asked}: cluster {cluster['name']} is there, with its objects {has}; "
                "nearest: destroy it first, or another --folder"
            )
