"""TPU slices, networks between them, a bucket that every pod mounts, Ray, and a MaxText training.

APIs -> VPC, and VPCs between slices -> GKE -> CPU pool, slices -> claims ---+
   |                                     |                                   +-> Ray -> training
   +--> bucket ------------------------> account ----------------------------+
"""

from collections.abc import Mapping
from dataclasses import replace

import pulumi

from components.bucket import Bucket
from components.ray_cluster import RayCluster, RayClusterArgs, RayVolumeArgs, RayWorkersArgs
from components.resource_claim_template import ResourceClaimTemplate
from components.token_secret import TokenSecret
from stacks import bucket_storage, maxtext_workload, platform
from stacks.bucket_storage import Access
from stacks.outputs import StackOutputs, cluster_outputs, submit_command, with_ray
from stacks.parts.jobs.work import Work
from stacks.ray_pods import pod_args
from stacks.ray_workload import launch
from stacks.tpu_nodes import TpuNodes, claim_template, tpu_nodes
from stacks.tpu_training_config import TpuTraining

_APIS = (*platform.APIS, "storage")
_VOLUME = "training-bucket"
_GROUP = "tpu-group"


def build(config: TpuTraining, secrets: Mapping[str, pulumi.Output[str]]) -> StackOutputs:
    on = platform.cloud(config, _APIS)

    network = platform.network(config, on)
    bucket = bucket_storage.bucket(config, on)
    nodes = tpu_nodes(config, on, network)
    gke = nodes.gke

    where = platform.namespace(config, on, gke)
    tokens = platform.tokens(config, on, gke, where, secrets)
    allowed = bucket_storage.access(config, on, gke, where, bucket)
    claims = claim_template(config, on, gke, where)
    ray = _ray(config, on, nodes, where, bucket, allowed, claims, tokens)
    work = _work(config)
    job = launch(config, gke, where, ray, work, on.labels, trial=submit_command("python3", "{}"))
    dashboard = platform.dashboard(config, on, tpus=True)

    outputs = cluster_outputs(config, gke, dashboard, lost=bucket_storage.lost(config))
    return replace(
        with_ray(outputs, config, ray, job.submit),
        bucket_url=bucket.url,
        job_name=job.job_name,
    )


def _ray(
    config: TpuTraining,
    on: platform.Cloud,
    nodes: TpuNodes,
    where: pulumi.Input[str],
    bucket: Bucket,
    allowed: Access,
    claims: ResourceClaimTemplate | None,
    tokens: TokenSecret | None,
) -> RayCluster:
    devices = [f"eth{place}" for place in range(1, config.claims + 1)]
    chips = config.topology.chips // config.topology.hosts
    annotations = bucket_storage.annotations(config.mount_limits)
    # Nothing else runs on a host: without a limit the worker has all its cores, as in the scenario.
    limits = config.ray.worker.limits
    return RayCluster(
        "ray",
        RayClusterArgs(
            namespace=where,
            cluster_name=config.ray_name,
            ray_version=config.ray_version,
            image=config.ray_image,
            head=replace(pod_args(config.ray.head, nodes.cpu), annotations=annotations),
            workers={
                _GROUP: RayWorkersArgs(
                    pod=replace(
                        pod_args(config.ray.worker, nodes.tpu),
                        tpus=chips,
                        claims={} if claims is None else {"netdev": claims.template_name},
                        cpu_limit_millicores=None if limits is None else limits.millicores,
                        annotations=annotations,
                        environment=maxtext_workload.worker_environment(config.tpu, devices),
                    ),
                    count=config.slices,
                    hosts=config.topology.hosts,
                )
            },
            volumes=[
                RayVolumeArgs(
                    name=_VOLUME,
                    mount_path=config.bucket.mount_path,
                    bucket=bucket_storage.mount_args(config, allowed),
                )
            ],
            secret_name=None if tokens is None else tokens.secret_name,
            secret_keys=[] if tokens is None else tokens.keys,
            service_account=allowed.account_name,
            head_is_enough=config.job is not None and config.job.elastic is not None,
            # The slices, too: a job whose machines are replaced under it is lost.
            held=[bucket.bucket, *([] if claims is None else [claims.template]), *nodes.pools],
            labels=on.labels,
        ),
        opts=pulumi.ResourceOptions(
            providers=[nodes.gke.kubernetes],
            depends_on=[
                *nodes.needed,
                *nodes.pools,
                *platform.ray_operator(config, nodes.gke, nodes.cpu, on.labels, nodes.needed),
            ],
        ),
    )


def _work(config: TpuTraining) -> Work | None:
    job = config.job
    if job is None:
        return None
    topology = config.topology
    return Work(
        name=job.name,
        launcher_name=maxtext_workload.TRAINER_NAME,
        launcher=maxtext_workload.trainer(),
        files=maxtext_workload.files(config.slices),
        parameters=maxtext_workload.parameters(
            job,
            run_name=config.run_name,
            tpu=config.tpu,
            generation=topology.generation,
            hosts=topology.hosts,
            chips_per_host=topology.chips // topology.hosts,
            mount_path=config.bucket.mount_path,
            maxtext=config.maxtext_version if job.install_maxtext else "",
        ),
        environment={"PYTHONUNBUFFERED": "1"},
    )
