"""Ray on GPU nodes, from a stack's config."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pulumi

from components.bucket import Bucket
from components.bucket_mount import BucketMountArgs
from components.custom_object import object_name
from components.gib import LIBRARY_PATH
from components.gke_cluster import GkeCluster
from components.provisioning_request import ProvisioningRequest, ProvisioningRequestArgs
from components.ray_autoscaling import RayAutoscaling
from components.ray_cluster import (
    RayCluster,
    RayClusterArgs,
    RaySetupArgs,
    RayVolumeArgs,
    RayWorkersArgs,
)
from components.ray_job import RayJob
from components.ray_manifest import WORKER_GROUP
from components.static_volume import VolumeMount
from components.token_secret import TokenSecret
from stacks import bucket_storage, platform
from stacks.blocks.bucket_stack import BucketStack
from stacks.blocks.capacity import Queued
from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.ray_stack import RayStack
from stacks.bucket_storage import Access
from stacks.nodes import ClusterNodes
from stacks.outputs import submit_command
from stacks.parts.jobs.work import Work, job_args
from stacks.ray_pods import pod_args
from stacks.rdma import GpuNetwork


@dataclass(frozen=True, kw_only=True)
class RayPods:
    """What a kind of stack adds to its Ray pods. They mount a `volume` or a `bucket`; `held` is
    what they hold on to besides, and `after` what no value of theirs names.

    `scratch` are directories on the nodes' own disks, of the head and of the workers.
    `head_annotations` are the head's where it has others than the workers.
    """

    head_start_params: dict[str, str] = field(default_factory=dict[str, str])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    head_annotations: dict[str, str] | None = None
    service_account: pulumi.Input[str] | None = None
    volume: VolumeMount | None = None
    bucket: BucketMountArgs | None = None
    volume_name: str = "lustre-storage"
    mount_path: str = ""
    queue: pulumi.Input[str] | None = None
    after: Sequence[pulumi.Resource] = ()
    held: Sequence[pulumi.Resource] = ()
    scratch: tuple[str | None, str | None] = (None, None)
    setup: RaySetupArgs | None = None

    def volumes(self) -> list[RayVolumeArgs]:
        """The one that they mount, where they do."""
        claim = None if self.volume is None else object_name(self.volume.claim)
        if claim is None and self.bucket is None:
            return []
        return [
            RayVolumeArgs(
                name=self.volume_name,
                mount_path=self.mount_path,
                claim_name=claim,
                bucket=self.bucket,
            )
        ]


def try_a_gpu() -> pulumi.Output[str]:
    """A first job by hand: it has a worker come where there is none."""
    return submit_command("nvidia-smi", "{}", gpus=1)


@dataclass(frozen=True, kw_only=True)
class Launched:
    """`submit` is the command to do the same by hand; without a job, something to try."""

    job_name: pulumi.Output[str] | None
    submit: pulumi.Output[str]


def launch(
    config: RayStack,
    gke: GkeCluster,
    where: pulumi.Input[str],
    ray: RayCluster,
    work: Work | None,
    labels: dict[str, str],
    *,
    trial: pulumi.Output[str] | None = None,
    after: Sequence[pulumi.Resource] = (),
) -> Launched:
    """`after` is what the job waits for besides Ray."""
    if work is None:
        return Launched(job_name=None, submit=trial or try_a_gpu())
    job = RayJob(
        "training",
        job_args(where, config.ray_name, ray, work, labels),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes], depends_on=list(after)),
    )
    return Launched(
        job_name=job.job_name, submit=submit_command(job.command, work.runtime_environment())
    )


def bucket_pods(
    config: BucketStack, nodes: ClusterNodes, bucket: Bucket, allowed: Access
) -> RayPods:
    """Pods that mount the bucket for as long as they live."""
    return RayPods(
        annotations=bucket_storage.annotations(config.mount_limits),
        head_annotations=bucket_storage.annotations(config.limits_for(1)),
        service_account=allowed.account_name,
        bucket=bucket_storage.mount_args(config, allowed),
        volume_name="bucket",
        mount_path=config.bucket.mount_path,
        held=[bucket.bucket],
    )


def ray_cluster(
    config: GpuRayStack,
    nodes: ClusterNodes,
    gpu: GpuNetwork,
    where: pulumi.Input[str],
    labels: dict[str, str],
    tokens: TokenSecret | None,
    wanted: RayPods,
) -> RayCluster:
    head_scratch, worker_scratch = wanted.scratch
    scaling = config.ray.autoscaling
    args = RayClusterArgs(
        namespace=where,
        cluster_name=config.ray_name,
        ray_version=config.ray_version,
        image=config.ray_image,
        head=replace(
            # A job's driver is on the head, which so outlives the machines with GPUs.
            pod_args(config.ray.head, nodes.cpu, gpus=0),
            start_params=wanted.head_start_params,
            annotations=(
                wanted.annotations if wanted.head_annotations is None else wanted.head_annotations
            ),
            scratch=head_scratch,
            setup=wanted.setup,
        ),
        workers={
            WORKER_GROUP: RayWorkersArgs(
                pod=replace(
                    pod_args(config.ray.worker, gpu.node_selector, gpus=config.worker_gpus),
                    annotations=wanted.annotations,
                    environment={"LD_LIBRARY_PATH": LIBRARY_PATH} if config.nccl else {},
                    networks=gpu.networks,
                    scratch=worker_scratch,
                    setup=wanted.setup,
                ),
                count=config.workers,
                least=0 if scaling is None else scaling.min_workers,
            )
        },
        volumes=wanted.volumes(),
        autoscaling=None if scaling is None else RayAutoscaling(idle_seconds=scaling.idle_seconds),
        queue=wanted.queue,
        secret_name=None if tokens is None else tokens.secret_name,
        secret_keys=[] if tokens is None else tokens.keys,
        service_account=wanted.service_account,
        # The pools, too: a job whose machines are replaced under it is lost.
        held=[
            *([] if wanted.volume is None else wanted.volume.resources()),
            *wanted.held,
            *gpu.held,
            *nodes.gpu_pools,
        ],
        labels=labels,
    )
    opts = pulumi.ResourceOptions(
        providers=[nodes.gke.kubernetes],
        depends_on=[
            *nodes.needed,
            *nodes.gpu_pools,
            *gpu.after,
            *wanted.after,
            *platform.ray_operator(config, nodes.gke, nodes.cpu, labels, nodes.needed),
        ],
    )
    if nodes.queued:
        args = _on_request(config, args, nodes.gpu_pools, opts)
    return RayCluster("ray", args, opts=opts)


def _on_request(
    config: GpuRayStack,
    args: RayClusterArgs,
    pools: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> RayClusterArgs:
    """Pods of the pool wait for their machines, which come for all of them at once."""
    capacity = config.gpu_hosts.capacity
    group = args.workers[WORKER_GROUP]
    machines = ProvisioningRequest(
        "machines",
        ProvisioningRequestArgs(
            namespace=args.namespace,
            request_name=args.cluster_name,
            pods=group.count,
            template=args.worker_template(WORKER_GROUP),
            max_run_seconds=capacity.max_run_hours * 3600 if isinstance(capacity, Queued) else None,
            held=pools,
            labels=args.labels,
        ),
        opts=opts,
    )
    pod = replace(group.pod, provisioning_request=machines.request_name)
    return replace(
        args,
        workers={WORKER_GROUP: replace(group, pod=pod)},
        held=[*args.held, *machines.objects],
    )
