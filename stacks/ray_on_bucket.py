"""GPU nodes, a bucket that every pod mounts, and Ray, which may wait in a queue.

APIs -> VPC -> GKE -> CPU pool, GPU pool -> Kueue -> queues --+
   |            +---> KubeRay, when no add-on ----------------+-> Ray
   +--> bucket -----> account's role -------------------------+
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pulumi

from components.bucket import Bucket
from components.monitoring_dashboard import MonitoringDashboard
from components.ray_cluster import RayCluster
from stacks import bucket_storage, platform, queueing, rdma
from stacks.blocks.ray_on_bucket_stack import RayOnBucketStack
from stacks.nodes import ClusterNodes, cluster_nodes
from stacks.outputs import StackOutputs, cluster_outputs, with_ray
from stacks.queueing import Queues
from stacks.ray_workload import bucket_pods, ray_cluster

_APIS = (*platform.APIS, "storage")


@dataclass(frozen=True, kw_only=True)
class RayOnBucket:
    """What jobs run on; `where` is their namespace."""

    nodes: ClusterNodes
    where: pulumi.Input[str]
    bucket: Bucket
    queues: Queues
    ray: RayCluster
    dashboard: MonitoringDashboard | None
    labels: dict[str, str]


def ray_on_bucket(
    config: RayOnBucketStack, secrets: Mapping[str, pulumi.Output[str]]
) -> RayOnBucket:
    on = platform.cloud(config, _APIS)

    network = platform.network(config, on)
    bucket = bucket_storage.bucket(config, on)
    nodes = cluster_nodes(config, on, network)

    where = platform.namespace(config, on, nodes.gke)
    queues = queueing.queues(config, on, nodes, where)
    allowed = bucket_storage.access(config, on, nodes.gke, where, bucket)
    pods = replace(
        bucket_pods(config, nodes, bucket, allowed),
        queue=queues.queue(config.ray.queue),
        after=queues.made,
    )
    gpu = rdma.gpu_network(config, on, nodes.gke, nodes.interfaces, nodes.gpu, where)
    if (pool := config.elastic_pool) is not None:
        gpu = replace(gpu, node_selector=_both(gpu.node_selector, nodes.selectors[pool]))
    tokens = platform.tokens(config, on, nodes.gke, where, secrets)
    ray = ray_cluster(config, nodes, gpu, where, on.labels, tokens, pods)
    return RayOnBucket(
        nodes=nodes,
        where=where,
        bucket=bucket,
        queues=queues,
        ray=ray,
        dashboard=platform.dashboard(config, on),
        labels=on.labels,
    )


def _both(
    some: pulumi.Input[dict[str, str]], more: pulumi.Input[dict[str, str]]
) -> pulumi.Output[dict[str, str]]:
    return pulumi.Output.all(some, more).apply(lambda it: it[0] | it[1])


def outputs(
    config: RayOnBucketStack, found: RayOnBucket, submit: pulumi.Output[str]
) -> StackOutputs:
    lost = bucket_storage.lost(config)
    cluster = cluster_outputs(config, found.nodes.gke, found.dashboard, lost=lost)
    return replace(
        with_ray(cluster, config, found.ray, submit),
        bucket_url=found.bucket.url,
        queue_command=found.queues.command(config.namespace),
    )
