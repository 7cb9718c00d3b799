"""GPU nodes, a bucket that every pod mounts, Ray, and a training with its checkpoints there.

APIs -> VPC -> GKE -> CPU pool, GPU pool -----------+
   |            +---> KubeRay, when no add-on ------+-> Ray -> training
   +--> bucket -----> account's role ---------------+
"""

import json
from collections.abc import Mapping
from dataclasses import replace

import pulumi

from components.ray_cluster import RayCluster
from components.ray_job import RayJob, RayJobArgs
from stacks import bucket_storage, checkpoint_workload, platform, rdma
from stacks.checkpoint_training_config import CheckpointTraining
from stacks.nodes import ClusterNodes, cluster_nodes
from stacks.outputs import StackOutputs, cluster_outputs, submit_command, with_ray
from stacks.ray_workload import bucket_pods, ray_cluster

_APIS = (*platform.APIS, "storage")
# Lines of the log as they come.
_ENVIRONMENT = {"PYTHONUNBUFFERED": "1"}


def build(config: CheckpointTraining, secrets: Mapping[str, pulumi.Output[str]]) -> StackOutputs:
    on = platform.cloud(config, _APIS)

    network = platform.network(config, on)
    interfaces = rdma.interfaces(config, on)
    bucket = bucket_storage.bucket(config, on)
    nodes = cluster_nodes(config, on, network, interfaces.networks)

    where = platform.namespace(config, on, nodes.gke)
    tokens = platform.tokens(config, on, nodes.gke, where, secrets)
    allowed = bucket_storage.access(config, on, nodes.gke, where, bucket)
    ray = ray_cluster(
        config,
        nodes,
        rdma.gpu_network(config, on, nodes.gke, interfaces, nodes.gpu, where),
        where,
        labels=on.labels,
        tokens=tokens,
        secrets=secrets,
        pods=bucket_pods(config, nodes, bucket, allowed),
    )
    job = _job(config, on, nodes, where, ray)
    dashboard = platform.dashboard(config, on)

    submit = submit_command(
        "nvidia-smi" if job is None else job.entrypoint, json.dumps({"env_vars": _ENVIRONMENT})
    )
    outputs = cluster_outputs(config, nodes.gke, dashboard, lost=bucket_storage.lost(config))
    return replace(
        with_ray(outputs, config, ray, submit),
        bucket_url=bucket.url,
        job_name=None if job is None else job.job_name,
    )


def _job(
    config: CheckpointTraining,
    on: platform.Cloud,
    nodes: ClusterNodes,
    where: pulumi.Input[str],
    ray: RayCluster,
) -> RayJob | None:
    job = config.job
    if job is None:
        return None
    return RayJob(
        "training",
        RayJobArgs(
            namespace=where,
            job_name=job.name,
            ray_cluster=config.ray_name,
            cluster=ray.cluster,
            held=ray.held,
            launcher_name=checkpoint_workload.TRAINER_NAME,
            launcher=checkpoint_workload.trainer(),
            files=checkpoint_workload.files(),
            parameters=checkpoint_workload.parameters(
                job,
                workers=config.workers,
                gpus_per_worker=config.worker_gpus,
                mount_path=config.bucket.mount_path,
            ),
            environment=_ENVIRONMENT,
            packages=config.packages,
            labels=on.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[nodes.gke.kubernetes]),
    )
