"""`aistack sandbox kube`: the control planes of one stack's clusters."""

from __future__ import annotations

import os
from collections.abc import Mapping

from cli.console import new_console, new_table
from cli.errors import UserError
from cli.lines import say
from cli.next_steps import command
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.errors import CloudError
from sandbox.kube_choice import none_real
from sandbox.workspace import Workspace


def start(workspace: Workspace) -> None:
    for cluster, plane in _control_planes(workspace).items():
        try:
            plane.start()
        except CloudError as error:
            raise UserError(f"{cluster}: {error}") from None
        say(f"{cluster}: runs; export KUBECONFIG={plane.kubeconfig}")


def stop(workspace: Workspace) -> None:
    for cluster, plane in _control_planes(workspace).items():
        plane.stop()
        say(f"{cluster}: stopped; what it holds is kept")


def show_status(workspace: Workspace) -> None:
    console = new_console()
    for cluster, plane in _control_planes(workspace).items():
        table = new_table("program", "process", "MiB", "ports of 127.0.0.1")
        for each in plane.status():
            ports = ", ".join(f"{purpose} {port}" for purpose, port in each.ports.items())
            process = str(each.pid) if each.running else "does not run"
            table.add_row(each.name, process, f"{each.rss_mib:.0f}", ports)
        console.print(cluster, style="bold")
        console.print(table)


def kubeconfig(workspace: Workspace) -> str:
    """The value of KUBECONFIG with which kubectl finds the stack's clusters."""
    files = [plane.kubeconfig for plane in _control_planes(workspace).values()]
    if not all(file.exists() for file in files):
        raise UserError(
            f'--stack: "{workspace.stack}": its control plane was never started; '
            f"nearest: {command('kube start', workspace.stack, workspace.root)}"
        )
    return os.pathsep.join(str(file) for file in files)


def _control_planes(workspace: Workspace) -> Mapping[str, ControlPlane]:
    """By the name of the cluster; raises UserError where the stack has none."""
    found = dict[str, ControlPlane]()
    if workspace.config_file.exists():
        clusters = Clusters(workspace.cloud(), workspace.cloud_file)
        own = clusters.cloud.inventory(workspace.stack).get(Cluster.token, [])
        for cluster in clusters.cloud.find(Cluster.token):
            if cluster.id in own and clusters.is_live(cluster):
                found[cluster["name"]] = clusters.control_plane(cluster)
    if not found and not workspace.config_file.exists() and not workspace.source.exists():
        raise UserError(workspace.no_source())
    if not found:
        raise UserError(none_real(workspace))
    return found
