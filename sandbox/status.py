"""What one stack has in the simulated cloud."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.console import new_console, new_table
from sandbox.errors import CloudError, UserError
from sandbox.json_file import check_json_file
from sandbox.next_steps import command
from sandbox.workspace import Workspace


def show_status(workspace: Workspace, json_file: Path | None) -> None:
    """Print resources, nodes and pods; `json_file` gets the same as one object."""
    check_json_file(json_file)
    if not workspace.config_file.exists():
        raise UserError(
            f'--stack: "{workspace.stack}" was never run here; '
            f"nearest: {command('up', workspace.stack, workspace.root)}"
        )
    found = describe(workspace)
    if json_file is not None:
        json_file.write_text(json.dumps(found, indent=2) + "\n")
    console = new_console()
    _print_resources(console, found["resources"])
    for cluster in found["clusters"]:
        _print_cluster(console, cluster)


def describe(workspace: Workspace) -> dict[str, Any]:
    """Resource ids by type, and each cluster's pools, objects, pods and queues."""
    cloud = workspace.cloud()
    resources = cloud.inventory(workspace.stack)
    clusters = []
    for cluster in cloud.find(Cluster.token):
        if cluster.id not in resources.get(Cluster.token, []):
            continue
        kube = Clusters(cloud, workspace.cloud_file).kube(cluster)
        nodes = kube.nodes()
        pods = kube.pods()
        used = Counter(pod.node for pod in pods if pod.node)
        pools = Counter(node.pool for node in nodes)
        busy = Counter(node.pool for node in nodes if used[node.name])
        clusters.append(
            {
                "id": cluster.id,
                "pools": {pool: {"nodes": pools[pool], "with_pods": busy[pool]} for pool in pools},
                "objects": kube.inventory(),
                "pods": [
                    {
                        "name": pod.name,
                        "namespace": pod.namespace,
                        "phase": pod.phase,
                        "node": pod.node,
                        "reason": pod.reason,
                    }
                    for pod in pods
                ],
                "queues": [asdict(queue) for queue in kube.queues()],
            }
        )
    return {"stack": workspace.stack, "resources": resources, "clusters": clusters}


def everything(clusters: Clusters) -> dict[str, list[str]]:
    """Ids of all that exists in the simulated cloud: Google's resources and Kubernetes objects."""
    found = clusters.cloud.inventory()
    for cluster in clusters.cloud.find(Cluster.token):
        try:
            objects = clusters.kube(cluster).inventory()
        except CloudError as error:
            objects = {"unknown": [f"{cluster.id}: {error}"]}
        for kind, names in objects.items():
            found.setdefault(f"kubernetes:{kind}", []).extend(names)
    return found


def _print_resources(console: Console, resources: dict[str, list[str]]) -> None:
    table = new_table("Google Cloud resource")
    for ids in resources.values():
        for resource_id in ids:
            table.add_row(resource_id)
    console.print(table if resources else "nothing exists in the simulated cloud")


def _print_cluster(console: Console, cluster: dict[str, Any]) -> None:
    console.print(f"\n[bold]{cluster['id']}[/]")
    pools = new_table("node pool", "nodes at most", "with pods")
    for pool, counts in cluster["pools"].items():
        pools.add_row(pool, str(counts["nodes"]), str(counts["with_pods"]))
    console.print(pools)
    pods = new_table("pod", "phase", "node or reason")
    for pod in cluster["pods"]:
        name = f"{pod['namespace']}/{pod['name']}"
        pods.add_row(
            name, pod["phase"], pod["node"] if pod["phase"] == "Running" else pod["reason"]
        )
    console.print(pods)
    for queue in cluster["queues"]:
        _print_queue(console, queue)


def _print_queue(console: Console, queue: dict[str, Any]) -> None:
    cohort = f" in cohort {queue['cohort']}" if queue["cohort"] else ""
    console.print(f"queue [bold]{queue['name']}[/]{cohort} {queue['inactive']}".rstrip())
    quotas = new_table("flavor", "resource", "quota", "used", "borrowed")
    for quota in queue["quotas"]:
        row = (quota[name] for name in ("flavor", "resource", "quota", "used", "borrowed"))
        quotas.add_row(*row)
    console.print(quotas)
    workloads = new_table("workload", "priority", "admitted or reason")
    for workload in queue["admitted"]:
        workloads.add_row(workload["name"], str(workload["priority"]), "admitted")
    for workload in queue["waiting"]:
        workloads.add_row(workload["name"], str(workload["priority"]), workload["reason"])
    console.print(workloads)
