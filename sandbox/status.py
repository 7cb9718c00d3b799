"""What one stack has in the simulated cloud."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from cli.console import new_console, new_table
from cli.errors import UserError
from cli.next_steps import command
from sandbox import deployment
from sandbox.cloud.kinds.cluster import Cluster, left_pools
from sandbox.cloud.kinds.node_pool import pool_states
from sandbox.clusters import Clusters
from sandbox.errors import CloudError
from sandbox.json_file import json_output
from sandbox.kube_choice import IN_MEMORY
from sandbox.workspace import Workspace

# Kinds of objects that are work of their own, before what else runs pods.
_WORK = ("RayJob", "JobSet", "Job", "RayCluster", "LeaderWorkerSet", "Deployment")


def show_status(workspace: Workspace, json_file: Path | None) -> None:
    """Print pools, pods, jobs, queues and resources; `json_file` gets the same as one object."""
    with json_output(json_file) as write:
        refuse_never_run(workspace)
        found = describe(workspace)
        write(found)
        console = new_console()
        for cluster in found["clusters"]:
            _print_cluster(console, cluster)
        # Last, for there are many, and their ids are long.
        _print_resources(console, found["resources"])


def refuse_never_run(workspace: Workspace, end: str = "") -> None:
    """Raises UserError for a stack that no command of this sandbox was for."""
    if not workspace.config_file.exists():
        if not workspace.source.exists():
            raise UserError(workspace.no_source())
        raise UserError(
            f'--stack: "{workspace.stack}" was never run here{end}; '
            f"nearest: {command('up', workspace.stack, workspace.root)}"
        )


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
        states = {**pool_states(cluster, cloud), **left_pools(cluster, cloud)}
        busy = Counter(node.pool for node in nodes if used[node.name])
        clusters.append(
            {
                "id": cluster.id,
                "state": cloud.degraded.get(cluster.id, ""),
                "pools": {
                    pool: {
                        "nodes": pools[pool],
                        "with_pods": busy[pool],
                        "state": states.get(pool, ""),
                    }
                    for pool in dict.fromkeys((*pools, *states))
                },
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
        for kind, names in _objects(clusters, cluster).items():
            found.setdefault(f"kubernetes:{kind}", []).extend(names)
    return found


def of_stack(clusters: Clusters, stack: str, state: Mapping[str, Any]) -> dict[str, list[str]]:
    """Ids of what one stack has in the simulated cloud: Google's resources, and the objects in its
    own cluster, or those of its state that are in the cluster of another."""
    found = clusters.cloud.inventory(stack)
    if Cluster.token in found:
        for cluster in clusters.cloud.find(Cluster.token):
            if cluster.id in found[Cluster.token]:
                for kind, names in _objects(clusters, cluster).items():
                    found.setdefault(f"kubernetes:{kind}", []).extend(names)
        return found
    for it in deployment.resources(state):
        if it["type"].startswith("kubernetes:"):
            kind = it["type"].rpartition(":")[2]
            found.setdefault(f"kubernetes:{kind}", []).append(str(it.get("id")))
    return found


def _objects(clusters: Clusters, cluster: Any) -> dict[str, list[str]]:
    try:
        return clusters.kube(cluster).inventory()
    except CloudError as error:
        return {"unknown": [f"{cluster.id}: {error}"]}


def _print_resources(console: Console, resources: dict[str, list[str]]) -> None:
    table = new_table("Google Cloud resource")
    for ids in resources.values():
        for resource_id in ids:
            table.add_row(resource_id)
    console.print(table if resources else "nothing exists in the simulated cloud")


def _print_cluster(console: Console, cluster: dict[str, Any]) -> None:
    state = f" {cluster['state']}" if cluster["state"] else ""
    console.print()
    console.print(f"{cluster['id']}{state}", style="bold")
    pools = new_table("node pool", "nodes at most", "with pods", "state")
    for pool, counts in cluster["pools"].items():
        pools.add_row(pool, str(counts["nodes"]), str(counts["with_pods"]), counts["state"])
    console.print(pools)
    pods = new_table("pod", "phase", "node or reason")
    for pod in cluster["pods"]:
        name = f"{pod['namespace']}/{pod['name']}"
        pods.add_row(
            name, pod["phase"], pod["node"] if pod["phase"] == "Running" else pod["reason"]
        )
    console.print(pods)
    _print_jobs(console, cluster["objects"])
    for queue in cluster["queues"]:
        _print_queue(console, queue)
    if "ClusterQueue" in cluster["objects"] and not cluster["queues"]:
        console.print(IN_MEMORY, soft_wrap=True)


def _print_jobs(console: Console, objects: dict[str, list[str]]) -> None:
    jobs = new_table("job", "kind")
    for kind in _WORK:
        for name in objects.get(kind, ()):
            jobs.add_row(name, kind)
    if jobs.row_count:
        console.print(jobs)


def _print_queue(console: Console, queue: dict[str, Any]) -> None:
    cohort = f" in cohort {queue['cohort']}" if queue["cohort"] else ""
    console.print(f"queue {queue['name']}{cohort} {queue['inactive']}".rstrip(), style="bold")
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
