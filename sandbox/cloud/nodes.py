"""The Kubernetes nodes that a simulated cluster has, or would have once its pools have scaled
up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sandbox.cloud.kind import Resource
from sandbox.cloud.kinds.node_pool import NodePool, bounds, machine_of, pool_zones, wanted_nodes
from sandbox.kube import Node, Taint

if TYPE_CHECKING:
    from sandbox.cloud.cloud import Cloud

EFFECTS = {
    "NO_SCHEDULE": "NoSchedule",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
    "NO_EXECUTE": "NoExecute",
}
RESOURCE_NAMES = {"gpu": "nvidia.com/gpu", "tpu": "google.com/tpu"}


def nodes_of(cluster: Resource, cloud: Cloud) -> list[Node]:
    """Every node up to the pools' largest sizes: the cluster autoscaler adds what pods wait for."""
    nodes: list[Node] = []
    for pool in cloud.find(NodePool.token):
        if pool.id.startswith(f"{cluster.id}/"):
            nodes.extend(_pool_nodes(pool, cluster, cloud))
    return nodes


def _pool_nodes(pool: Resource, cluster: Resource, cloud: Cloud) -> Iterator[Node]:
    config = pool["nodeConfig"] or {}
    machine = machine_of(pool.inputs, cloud)
    zones = pool_zones(pool.inputs, cluster, cloud)
    free = cloud.catalog.allocatable(machine.name)
    resources = {
        "cpu": f"{free.cpu_millicores}m",
        "memory": f"{free.memory_mib}Mi",
        "pods": str(pool["maxPodsPerNode"] or 110),
    }
    labels = {
        **(config.get("labels") or {}),
        "cloud.google.com/gke-nodepool": pool["name"],
        "node.kubernetes.io/instance-type": machine.name,
        "topology.kubernetes.io/region": cloud.catalog.region_of(zones[0]),
    }
    taints = [
        Taint(key=taint["key"], value=taint["value"], effect=EFFECTS[taint["effect"]])
        for taint in config.get("taints") or []
    ]
    if config.get("spot"):
        labels["cloud.google.com/gke-spot"] = "true"
    if machine.accelerator is not None:
        accelerator = machine.accelerator
        resources[RESOURCE_NAMES[accelerator.kind]] = str(accelerator.count)
        if accelerator.kind == "gpu":
            labels["cloud.google.com/gke-accelerator"] = accelerator.type
            # GKE taints every GPU node by itself.
            taints.append(Taint(key="nvidia.com/gpu", value="present", effect="NoSchedule"))
    for number in range(max(bounds(pool.inputs)[1], wanted_nodes(pool.inputs))):
        zone = zones[number % len(zones)]
        name = f"gke-{cluster['name']}-{pool['name']}-{number}"
        yield Node(
            name=name,
            pool=pool["name"],
            labels={**labels, "topology.kubernetes.io/zone": zone, "kubernetes.io/hostname": name},
            taints=tuple(taints),
            allocatable=resources,
        )
