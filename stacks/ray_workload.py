"""Ray on the GPU pool, from a stack's config."""

from collections.abc import Mapping, Sequence

import pulumi

from components.gke_cluster import GkeCluster
from components.lustre_volume import LustreVolume
from components.node_pool import NodePool
from components.ray_cluster import RayCluster, RayClusterArgs, RayPodArgs
from components.token_secret import TokenSecret
from stacks.blocks.ray import RayHead
from stacks.blocks.stack import RayStack
from stacks.platform import VARIABLES


def ray_cluster(
    config: RayStack,
    gke: GkeCluster,
    pool: NodePool,
    where: pulumi.Input[str],
    *,
    labels: dict[str, str],
    tokens: TokenSecret | None,
    secrets: Mapping[str, pulumi.Output[str]],
    volume: LustreVolume | None = None,
    mount_path: str = "",
    after: Sequence[pulumi.Resource],
) -> RayCluster:
    """`after` is what pods need to start and no value of theirs names."""
    return RayCluster(
        "ray",
        RayClusterArgs(
            namespace=where,
            cluster_name=config.ray_name,
            ray_version=config.ray.version,
            image=config.ray.image,
            head=_pod(config.ray.head, gpus=0),
            worker=_pod(config.ray.worker, gpus=config.worker_gpus),
            workers=config.gpu_pool.nodes,
            node_selector=pool.node_selector,
            secret_name=None if tokens is None else tokens.secret_name,
            secret_keys=[VARIABLES[name] for name in sorted(secrets)],
            lustre=None if volume is None else volume.mount,
            mount_path=mount_path,
            labels=labels,
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes], depends_on=list(after)),
    )


def _pod(pod: RayHead, *, gpus: int) -> RayPodArgs:
    return RayPodArgs(
        cpu_request_millicores=pod.requests.millicores,
        cpu_limit_millicores=pod.ceiling.millicores,
        memory_request_gib=pod.requests.memory_gib,
        memory_limit_gib=pod.ceiling.memory_gib,
        shm_gib=pod.shared_memory_gib,
        gpus=gpus,
    )
