"""A Ray pod from its part of a config."""

from collections.abc import Sequence

import pulumi

from components.node_taints import NodeTaintArgs
from components.ray_cluster import RayPodArgs
from stacks.parts.ray.pods import RayHead


def pod_args(
    pod: RayHead,
    node_selector: pulumi.Input[dict[str, str]],
    *,
    gpus: int = 0,
    taints: Sequence[NodeTaintArgs] = (),
) -> RayPodArgs:
    """The sizes that the config gives a pod."""
    return RayPodArgs(
        cpu_request_millicores=pod.requests.millicores,
        cpu_limit_millicores=pod.ceiling.millicores,
        memory_request_gib=pod.requests.memory_gib,
        memory_limit_gib=pod.ceiling.memory_gib,
        shm_gib=pod.shared_memory_gib,
        node_selector=node_selector,
        taints=taints,
        gpus=gpus,
        ephemeral_storage_request_gib=pod.requests.ephemeral_storage_gib,
        ephemeral_storage_limit_gib=pod.ceiling.ephemeral_storage_gib,
    )
