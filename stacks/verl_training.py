"""GPU nodes on an RDMA network, a bucket that every pod mounts, Ray, and a verl GRPO training.

APIs -> VPC, and VPCs for interfaces -> GKE -> nodes -> interfaces, NCCL plug-in ----+
   |                                     |                                           +-> Ray -> job
   +--> bucket ------------------------> account, volume -> code, data, model -------+
"""

from collections.abc import Mapping
from dataclasses import replace

import pulumi

from components.ray_cluster import RaySetupArgs
from components.script_job import ScriptJob, ScriptJobArgs
from components.token_secret import TokenSecret
from stacks import bucket_storage, platform, rdma, verl_workload
from stacks.bucket_storage import Storage
from stacks.nodes import ClusterNodes, cluster_nodes
from stacks.outputs import StackOutputs, cluster_outputs, with_ray
from stacks.parts.jobs.work import Work
from stacks.ray_workload import RayPods, launch, ray_cluster
from stacks.verl_training_config import VerlTraining

_APIS = (*platform.APIS, "storage")
_VOLUME = "training-bucket"
# 66 GB of model through one pod, after an image of tens of GB.
_PREPARATION_MINUTES = 180


def build(config: VerlTraining, secrets: Mapping[str, pulumi.Output[str]]) -> StackOutputs:
    on = platform.cloud(config, _APIS)

    network = platform.network(config, on)
    bucket = bucket_storage.bucket(config, on)
    nodes = cluster_nodes(config, on, network)

    where = platform.namespace(config, on, nodes.gke)
    tokens = platform.tokens(config, on, nodes.gke, where, secrets)
    gpu = rdma.gpu_network(config, on, nodes.gke, nodes.interfaces, nodes.gpu, where)
    storage = bucket_storage.storage(
        config, on, nodes.gke, where, bucket, capacity_gib=config.bucket.capacity_gib
    )
    prepared = _preparation(config, on, nodes, where, storage, tokens)
    pods = _pods(config, nodes, storage)
    ray = ray_cluster(config, nodes, gpu, where, on.labels, tokens, pods)
    # It waits for data and model; Ray itself comes up beside them.
    job = launch(config, nodes.gke, where, ray, _work(config), on.labels, after=prepared)
    dashboard = platform.dashboard(config, on)

    outputs = cluster_outputs(config, nodes.gke, dashboard, lost=bucket_storage.lost(config))
    return replace(
        with_ray(outputs, config, ray, job.submit),
        bucket_url=bucket.url,
        job_name=job.job_name,
    )


def _pods(config: VerlTraining, nodes: ClusterNodes, storage: Storage) -> RayPods:
    return RayPods(
        # verl's controller must not land on the head, which has neither GPU nor network for it.
        head_start_params={"num-cpus": "0"},
        annotations=bucket_storage.annotations(config.mount_limits),
        head_annotations=bucket_storage.annotations(config.limits_for(1)),
        service_account=storage.account_name,
        volume=storage.mount,
        volume_name=_VOLUME,
        mount_path=config.bucket.mount_path,
        scratch=("/tmp/ray", verl_workload.SCRATCH_DIR),
        setup=_setup(config),
    )


def _preparation(
    config: VerlTraining,
    on: platform.Cloud,
    nodes: ClusterNodes,
    where: pulumi.Input[str],
    storage: Storage,
    tokens: TokenSecret | None,
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
                modules=verl_workload.preparation_modules(),
                arguments=verl_workload.preparation_arguments(
                    job, config.code_tag, config.code_tree, config.bucket.mount_path
                ),
                secret_name=None if tokens is None else tokens.secret_name,
                secret_keys=[] if tokens is None else tokens.keys,
                service_account=storage.account_name,
                volume=storage.mount,
                mount_path=config.bucket.mount_path,
                annotations=dict(bucket_storage.annotations(config.preparation_limits)),
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


def _work(config: VerlTraining) -> Work | None:
    job = config.job
    if job is None:
        return None
    return Work(
        name=job.name,
        launcher_name=verl_workload.LAUNCHER_NAME,
        launcher=verl_workload.launcher(),
        parameters=verl_workload.parameters(
            job,
            nodes=config.workers,
            gpus_per_node=config.worker_gpus,
            mount_path=config.bucket.mount_path,
            wandb="wandb_api_key" in config.secrets_set,
        ),
        environment=verl_workload.environment(
            job, {} if config.nccl is None else config.nccl.variables
        ),
        gpus=config.workers * config.worker_gpus,
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
