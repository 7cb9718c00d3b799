"""What pods write to their node's disk, and what the kubelet lets them.

The kubelet adds up the limits that a pod's containers have, those of GKE's sidecars among them, and
evicts the pod when its containers, logs and emptyDirs together pass the sum; a container without a
limit adds nothing to it (kubernetes v1.35 pkg/kubelet/eviction/eviction_manager.go,
podEphemeralStorageLimitEviction). Autopilot gives 1 GiB to one that asks for none (GKE
documentation, "Resource requests in Autopilot").
"""

from collections.abc import Iterator

from stacks.parts.ray.config import PodSizes
from stacks.problems import Problem

_AUTOPILOT_GIB = 1


def pod_disk_problems(
    field: str,
    pod: PodSizes,
    *,
    sidecar_gib: int | None,
    cache_mib: int,
    written_gib: int,
    autopilot: bool,
) -> Iterator[Problem]:
    """`sidecar_gib` is the limit of the container that mounts the bucket, 0 for none and None for
    GKE's own. `written_gib` is known to be written beside the read cache: packages, logs."""
    part = "requests" if pod.limits is None else "limits"
    limit = pod.ceiling.ephemeral_storage_gib or (_AUTOPILOT_GIB if autopilot else None)
    if limit is None and sidecar_gib != 0:
        yield Problem(
            f"{field}.{part}.ephemeral_storage_gib",
            "none is given, and the kubelet evicts the whole pod past the limits that there are, "
            f"which is then the bucket's sidecar's alone; nearest: {written_gib}",
        )
    elif limit is not None and limit < written_gib:
        yield Problem(
            f"{field}.{part}.ephemeral_storage_gib",
            f"{limit} GiB are less than the {written_gib} that the pod writes to its node's disk; "
            f"nearest: {written_gib}",
        )
    elif limit is not None and sidecar_gib == 0 and cache_mib:
        yield Problem(
            "bucket.mount.file_cache_mib",
            f"the sidecar has no limit of its disk, so the pod is evicted past the {limit} GiB of "
            f"{field}, which the cache is not counted in; nearest: 0",
        )
