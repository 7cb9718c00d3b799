"""Ray on GPU nodes, from a stack's config."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pulumi

from components.custom_object import object_name
from components.gib import LIBRARY_PATH
from components.gke_cluster import GkeCluster
from components.ray_cluster import RayCluster, RayClusterArgs, RayPodArgs, RaySetupArgs
from components.static_volume import VolumeMount
from components.token_secret import TokenSecret
from stacks.blocks.ray import RayHead
from stacks.blocks.stack import RayStack
from stacks.platform import VARIABLES
from stacks.rdma import GpuNetwork


@dataclass(frozen=True, kw_only=True)
class RayPods:
    """What a kind of stack adds to its Ray pods; the head is on `head_selector`, or else with a
    worker.

    `scratch` are directories on the nodes' own disks, of the head and of the workers.
    """

    head_selector: pulumi.Input[dict[str, str]] | None = None
    head_start_params: dict[str, str] = field(default_factory=dict[str, str])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    service_account: pulumi.Input[str] | None = None
    volume: VolumeMount | None = None
    volume_name: str = "lustre-storage"
    mount_path: str = ""
    scratch: tuple[str | None, str | None] = (None, None)
    setup: RaySetupArgs | None = None


def ray_cluster(
    config: RayStack,
    gke: GkeCluster,
    gpu: GpuNetwork,
    where: pulumi.Input[str],
    *,
    labels: dict[str, str],
    tokens: TokenSecret | None,
    secrets: Mapping[str, pulumi.Output[str]],
    after: Sequence[pulumi.Resource],
    pods: RayPods | None = None,
) -> RayCluster:
    """`after` is what pods need to start and no value of theirs names."""
    wanted = pods or RayPods()
    mounted = wanted.volume
    head_scratch, worker_scratch = wanted.scratch
    head = replace(
        _pod(config.ray.head, wanted.head_selector or gpu.node_selector, gpus=0),
        start_params=wanted.head_start_params,
        annotations=wanted.annotations,
        scratch=head_scratch,
        setup=wanted.setup,
    )
    worker = replace(
        _pod(config.ray.worker, gpu.node_selector, gpus=config.worker_gpus),
        annotations=wanted.annotations,
        environment={"LD_LIBRARY_PATH": LIBRARY_PATH} if config.nccl else {},
        networks=gpu.networks,
        scratch=worker_scratch,
        setup=wanted.setup,
    )
    return RayCluster(
        "ray",
        RayClusterArgs(
            namespace=where,
            cluster_name=config.ray_name,
            ray_version=config.ray_version,
            image=config.ray_image,
            head=head,
            worker=worker,
            workers=config.gpu_hosts.nodes,
            secret_name=None if tokens is None else tokens.secret_name,
            secret_keys=[VARIABLES[name] for name in sorted(secrets)],
            service_account=wanted.service_account,
            claim_name=None if mounted is None else object_name(mounted.claim),
            volume_name=wanted.volume_name,
            mount_path=wanted.mount_path,
            held=held(gpu, mounted),
            labels=labels,
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes], depends_on=[*after, *gpu.after]),
    )


def held(gpu: GpuNetwork, volume: VolumeMount | None) -> list[pulumi.Resource]:
    """What running pods hold on to."""
    return [*([] if volume is None else volume.resources()), *gpu.held]


def _pod(pod: RayHead, node_selector: pulumi.Input[dict[str, str]], *, gpus: int) -> RayPodArgs:
    return RayPodArgs(
        cpu_request_millicores=pod.requests.millicores,
        cpu_limit_millicores=pod.ceiling.millicores,
        memory_request_gib=pod.requests.memory_gib,
        memory_limit_gib=pod.ceiling.memory_gib,
        shm_gib=pod.shared_memory_gib,
        node_selector=node_selector,
        gpus=gpus,
        ephemeral_storage_gib=pod.requests.ephemeral_storage_gib,
    )
