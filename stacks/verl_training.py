"""GPU nodes on an RDMA network, a bucket that every pod mounts, Ray, and a verl GRPO training.

APIs -> VPC, and VPCs for interfaces -> GKE -> nodes -> interfaces, NCCL plug-in ----+
   |                                     |                                           +-> Ray -> job
   +--> bucket ------------------------> account, volume -> code, data, model -------+
"""

import json
from collections.abc import Mapping
from dataclasses import replace

import pulumi

from components.bucket import Bucket
from components.monitoring_dashboard import MonitoringDashboard
from components.ray_cluster import RayCluster, RaySetupArgs
from components.ray_job import RayJob, RayJobArgs
from components.script_job import ScriptJob, ScriptJobArgs
from components.token_secret import TokenSecret
from stacks import bucket_storage, platform, rdma, verl_workload
from stacks.blocks.verl_job import VerlJob
from stacks.bucket_storage import Storage
from stacks.nodes import ClusterNodes, cluster_nodes
from stacks.outputs import StackOutputs, cluster_outputs, submit_command, with_ray
from stacks.ray_workload import RayPods, ray_cluster
from stacks.verl_training_config import VerlTraining

_APIS = (*platform.APIS, "storage")
_VOLUME = "training-bucket"
# 66 GB of model through one pod, after an image of tens of GB.
_PREPARATION_MINUTES = 180


def build(config: VerlTraining, secrets: Mapping[str, pulumi.Output[str]]) -> StackOutputs:
    on = platform.cloud(config, _APIS)

    network = platform.network(config, on)
    interfaces = rdma.interfaces(config, on)
    bucket = bucket_storage.bucket(config, on)
    nodes = cluster_nodes(config, on, network, interfaces.networks)

    where = platform.namespace(config, on, nodes.gke)
    tokens = platform.tokens(config, on, nodes.gke, where, secrets)
    gpu = rdma.gpu_network(config, on, nodes.gke, interfaces, nodes.gpu, where)
    storage = bucket_storage.storage(
        config, on, nodes.gke, where, bucket, capacity_gib=config.bucket.capacity_gib
    )
    prepared = _preparation(config, on, nodes, where, storage, tokens, list(secrets))
    ray = ray_cluster(
        config,
        nodes,
        gpu,
        where,
        labels=on.labels,
        tokens=tokens,
        secrets=secrets,
        pods=RayPods(
            head_selector=nodes.cpu,
            # verl's controller must not land on the head, which has neither GPU nor network for it.
            head_start_params={"num-cpus": "0"},
            annotations=bucket_storage.annotations(config.bucket.mount.sidecar),
            service_account=storage.account_name,
            volume=storage.mount,
            volume_name=_VOLUME,
            mount_path=config.bucket.mount_path,
            scratch=("/tmp/ray", verl_workload.SCRATCH_DIR),
            setup=_setup(config),
        ),
    )
    job = _job(config, on, nodes, where, ray, prepared)
    dashboard = platform.dashboard(config, on)
    return _outputs(config, nodes, bucket, ray, job, dashboard)


def _preparation(
    config: VerlTraining,
    on: platform.Cloud,
    nodes: ClusterNodes,
    where: pulumi.Input[str],
    storage: Storage,
    tokens: TokenSecret | None,
    secrets: list[str],
) -> list[ScriptJob]:
    job = config.job
    if job is None or job.preparation is None:
        return []
    return [
        ScriptJob(
            "preparation",
            ScriptJobArgs(
                namespace=where,
                job_name=f"{config.ray_name}-data",
                image=config.ray_image,
                script_name=verl_workload.PREPARATION_NAME,
                script=verl_workload.preparation(),
                arguments=verl_workload.preparation_arguments(
                    job, config.code_tag, config.bucket.mount_path
                ),
                secret_name=None if tokens is None else tokens.secret_name,
                secret_keys=[platform.VARIABLES[name] for name in sorted(secrets)],
                service_account=storage.account_name,
                volume=storage.mount,
                mount_path=config.bucket.mount_path,
                annotations=dict(bucket_storage.annotations(config.bucket.mount.sidecar)),
                node_selector=nodes.cpu,
                cpu_millicores=job.preparation.millicores,
                memory_gib=job.preparation.memory_gib,
                ephemeral_storage_gib=job.preparation.scratch_gib,
                minutes=_PREPARATION_MINUTES,
                labels=on.labels,
            ),
            opts=pulumi.ResourceOptions(
                providers=[nodes.gke.kubernetes], depends_on=list(nodes.needed)
            ),
        )
    ]


def _job(
    config: VerlTraining,
    on: platform.Cloud,
    nodes: ClusterNodes,
    where: pulumi.Input[str],
    ray: RayCluster,
    prepared: list[ScriptJob],
) -> RayJob | None:
    """It waits for data and model; Ray itself comes up beside them."""
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
            launcher_name=verl_workload.LAUNCHER_NAME,
            launcher=verl_workload.launcher(),
            parameters=verl_workload.parameters(
                job,
                nodes=config.workers,
                gpus_per_node=config.worker_gpus,
                mount_path=config.bucket.mount_path,
            ),
            environment=_environment(config, job),
            labels=on.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[nodes.gke.kubernetes], depends_on=list(prepared)),
    )


def _setup(config: VerlTraining) -> RaySetupArgs | None:
    """verl on each pod's own disk; a stack without a job runs something else."""
    job = config.job
    if job is None:
        return None
    return RaySetupArgs(
        script=verl_workload.setup(),
        arguments=verl_workload.setup_arguments(
            config.bucket.mount_path, None if job.preparation is None else config.code_tag
        ),
        directory=verl_workload.PACKAGE_DIR,
    )


def _environment(config: VerlTraining, job: VerlJob) -> dict[str, str]:
    return verl_workload.environment(job, {} if config.nccl is None else config.nccl.variables)


def _outputs(
    config: VerlTraining,
    nodes: ClusterNodes,
    bucket: Bucket,
    ray: RayCluster,
    job: RayJob | None,
    dashboard: MonitoringDashboard | None,
) -> StackOutputs:
    submit = submit_command("nvidia-smi", "{}")
    if config.job is not None and job is not None:
        variables = _environment(config, config.job)
        submit = submit_command(job.entrypoint, json.dumps({"env_vars": variables}))
    outputs = cluster_outputs(config, nodes.gke, dashboard, lost=bucket_storage.lost(config))
    return replace(
        with_ray(outputs, config, ray, submit),
        bucket_url=bucket.url,
        job_name=None if job is None else job.job_name,
    )
