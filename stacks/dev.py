"""The smallest useful stack: a GPU pool that starts from zero, Ray, Kueue's queues, and a bucket.

APIs -> VPC -> GKE -> CPU pool, GPU pool -> Kueue -> queues --+
   +--> bucket -----> account's role -------------------------+-> Ray
"""

from collections.abc import Mapping
from dataclasses import replace

import pulumi

from stacks import bucket_storage, platform, queueing, rdma
from stacks.dev_config import Dev
from stacks.nodes import cluster_nodes
from stacks.outputs import StackOutputs, cluster_outputs, submit_command, with_ray
from stacks.ray_workload import bucket_pods, ray_cluster

_APIS = (*platform.APIS, "storage")


def build(config: Dev, secrets: Mapping[str, pulumi.Output[str]]) -> StackOutputs:
    on = platform.cloud(config, _APIS)

    network = platform.network(config, on)
    interfaces = rdma.interfaces(config, on)
    bucket = bucket_storage.bucket(config, on)
    nodes = cluster_nodes(config, on, network, interfaces.networks)

    where = platform.namespace(config, on, nodes.gke)
    tokens = platform.tokens(config, on, nodes.gke, where, secrets)
    allowed = bucket_storage.access(config, on, nodes.gke, where, bucket)
    queues = queueing.queues(config, on, nodes, where)
    pods = bucket_pods(config, nodes, bucket, allowed)
    ray = ray_cluster(
        config,
        nodes,
        rdma.gpu_network(config, on, nodes.gke, interfaces, nodes.gpu, where),
        where,
        labels=on.labels,
        tokens=tokens,
        secrets=secrets,
        pods=replace(pods, queue=queues.queue(config.ray.queue), after=queues.made),
    )
    dashboard = platform.dashboard(config, on)

    outputs = cluster_outputs(config, nodes.gke, dashboard, lost=bucket_storage.lost(config))
    return replace(
        with_ray(outputs, config, ray, submit_command("nvidia-smi", "{}")),
        bucket_url=bucket.url,
        queue_command=queues.command(config.namespace),
    )
