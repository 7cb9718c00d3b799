"""What Cloud Storage takes together.

Sources: Cloud Storage documentation (hierarchical namespace, soft delete), the preconditions of
GoogleCloudPlatform/cluster-toolkit, docs/troubleshooting.md and pkg/webhook of
GoogleCloudPlatform/gcs-fuse-csi-driver, read 2026-11-21.
"""

from collections.abc import Iterator

from catalog import Sidecar
from stacks.blocks.bucket import Bucket, GcsFuse, GcsFuseSidecar
from stacks.problems import Problem

_SOFT_DELETE_DAYS = range(7, 91)
_MIB = 1024


def sized_sidecar(wanted: GcsFuseSidecar, usual: Sidecar) -> Sidecar:
    """What the mounting sidecar requests: its limit where it has one, else what is usual."""
    return usual.model_copy(
        update={
            "cpu_millicores": wanted.millicores or usual.cpu_millicores,
            "memory_mib": (wanted.memory_gib or 0) * _MIB or usual.memory_mib,
            "ephemeral_storage_mib": (wanted.ephemeral_storage_gib or 0) * _MIB
            or usual.ephemeral_storage_mib,
        }
    )


def mount_problems(mount: GcsFuse, usual: Sidecar, *, autopilot: bool) -> Iterator[Problem]:
    """What the sidecar may be, and what it has to hold."""
    nearest = {
        "cpu": f"{usual.cpu_millicores / 1000:g}",
        "memory_gib": str(-(-usual.memory_mib // _MIB)),
        "ephemeral_storage_gib": str(-(-usual.ephemeral_storage_mib // _MIB)),
    }
    for key, least in nearest.items():
        if autopilot and getattr(mount.sidecar, key) == 0:
            yield Problem(
                f"bucket.mount.sidecar.{key}",
                f"0 is no limit, and Autopilot has every container limited; nearest: {least}",
            )
    room = mount.sidecar.ephemeral_storage_gib
    if room and mount.file_cache_mib >= room * _MIB:
        yield Problem(
            "bucket.mount.file_cache_mib",
            f"{mount.file_cache_mib} MiB do not fit the sidecar's {room} GiB of disk, which holds "
            f"the cache; nearest: {room * _MIB - 1}",
        )


def bucket_problems(bucket: Bucket) -> Iterator[Problem]:
    if bucket.hierarchical_namespace and bucket.versioning:
        yield Problem(
            "bucket.versioning",
            "a bucket with a hierarchical namespace keeps no versions; nearest: false, or "
            "hierarchical_namespace false",
        )
    days = bucket.soft_delete_days
    if days and days not in _SOFT_DELETE_DAYS:
        nearest = 7 if days < _SOFT_DELETE_DAYS.start else 90
        yield Problem(
            "bucket.soft_delete_days",
            f"{days} days are not what Cloud Storage keeps deleted objects for (0, or 7 to 90); "
            f"nearest: {nearest}",
        )
