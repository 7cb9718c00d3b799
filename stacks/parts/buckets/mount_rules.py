"""What Cloud Storage takes together, and what Cloud Storage FUSE takes of its sidecar.

Sources: Cloud Storage documentation (hierarchical namespace, soft delete), the preconditions of
GoogleCloudPlatform/cluster-toolkit, docs/troubleshooting.md and pkg/webhook of
GoogleCloudPlatform/gcs-fuse-csi-driver, read 2026-11-21; docs/semantics.md and cfg of
GoogleCloudPlatform/gcsfuse, commit 7b392927 of 2026-08-20; the deletion of a bucket in
hashicorp/terraform-provider-google-beta google-beta/services/storage/resource_storage_bucket.go,
commit 93c65b2d of 2026-08-21.
"""

from collections.abc import Iterator

from catalog import GcsFuseFacts, Sidecar
from stacks.parts.buckets.config import StackBucket
from stacks.parts.buckets.gcsfuse import GcsFuse, GcsFuseSidecar
from stacks.problems import Problem

_SOFT_DELETE_DAYS = range(7, 91)
_MIB = 1024


def sidecar_limits(
    mount: GcsFuse, usual: Sidecar, fuse: GcsFuseFacts, *, files: int
) -> GcsFuseSidecar:
    """What the config says, else what `files` that a pod writes at once take.

    No figure for CPUs is published: one file has what GKE gives the whole sidecar.
    """
    wanted = mount.sidecar
    memory = -(-_needed_memory_mib(mount, usual, fuse, files) // _MIB)
    return GcsFuseSidecar(
        cpu=usual.cpu_millicores * files / 1000 if wanted.cpu is None else wanted.cpu,
        memory_gib=memory if wanted.memory_gib is None else wanted.memory_gib,
        ephemeral_storage_gib=wanted.ephemeral_storage_gib,
    )


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


def with_prefetch(sidecar: Sidecar, second: Sidecar) -> Sidecar:
    """Both containers, where names and sizes are read at the mount."""
    return sidecar.model_copy(
        update={
            "cpu_millicores": sidecar.cpu_millicores + second.cpu_millicores,
            "memory_mib": sidecar.memory_mib + second.memory_mib,
            "ephemeral_storage_mib": sidecar.ephemeral_storage_mib + second.ephemeral_storage_mib,
        }
    )


def streamed_files(mount: GcsFuse, fuse: GcsFuseFacts, *, files: int) -> int:
    """How many files FUSE streams at once: as many as the config says, else all that a pod
    writes, and no fewer than FUSE's own number."""
    return mount.write_global_max_blocks or min(max(fuse.blocks, files), fuse.most_blocks)


def mount_problems(
    mount: GcsFuse,
    limits: GcsFuseSidecar,
    usual: Sidecar,
    fuse: GcsFuseFacts,
    *,
    files: int,
    autopilot: bool,
) -> Iterator[Problem]:
    """What the sidecar may be, and what it has to hold for `files` that a pod writes at once.

    `limits` are those that it gets.
    """
    if autopilot:
        yield from _autopilot_problems(limits, usual)
    yield from _cache_problems(mount, limits.ephemeral_storage_gib, usual)
    blocks = streamed_files(mount, fuse, files=files)
    if mount.streaming_writes and blocks < files:
        yield Problem(
            "bucket.mount.write_global_max_blocks",
            f"{blocks} files are streamed at once, and a pod writes {files}: the others go to the "
            f"sidecar's disk first; nearest: {files}",
        )
        return
    needed = _needed_memory_mib(mount, usual, fuse, files)
    given = limits.memory_gib
    if given and given * _MIB < needed:
        yield Problem(
            "bucket.mount.sidecar.memory_gib",
            f"{given} GiB are less than the {needed} MiB that {files} files written at once and "
            f"what is known of others take; nearest: {-(-needed // _MIB)}",
        )


def _needed_memory_mib(mount: GcsFuse, usual: Sidecar, fuse: GcsFuseFacts, files: int) -> int:
    """GKE's own size, each file that is streamed, and what is kept of names and sizes."""
    streamed = min(files, streamed_files(mount, fuse, files=files)) if mount.streaming_writes else 0
    kept = max(0, mount.stat_cache_mib) if mount.metadata_ttl_s else 0
    return usual.memory_mib + streamed * fuse.streamed_file_mib + kept


def _autopilot_problems(limits: GcsFuseSidecar, usual: Sidecar) -> Iterator[Problem]:
    least = {
        "cpu": f"{usual.cpu_millicores / 1000:g}",
        "memory_gib": str(-(-usual.memory_mib // _MIB)),
        "ephemeral_storage_gib": str(-(-usual.ephemeral_storage_mib // _MIB)),
    }
    for key, nearest in least.items():
        if getattr(limits, key) == 0:
            yield Problem(
                f"bucket.mount.sidecar.{key}",
                f"0 is no limit, and Autopilot has every container limited; nearest: {nearest}",
            )


def _cache_problems(mount: GcsFuse, limit: int | None, usual: Sidecar) -> Iterator[Problem]:
    """The read cache is an emptyDir, which counts against the sidecar's disk."""
    room = usual.ephemeral_storage_mib if limit is None else limit * _MIB
    if mount.file_cache_mib < 0 and limit != 0:
        yield Problem(
            "bucket.mount.file_cache_mib",
            f"-1 has no bound, and the kubelet evicts a pod whose sidecar writes more than its "
            f"{room // _MIB} GiB of disk; nearest: 0, or {room - 1}",
        )
    elif room and mount.file_cache_mib >= room:
        yield Problem(
            "bucket.mount.file_cache_mib",
            f"{mount.file_cache_mib} MiB do not fit the sidecar's {room // _MIB} GiB of disk, "
            f"which holds the cache; nearest: {room - 1}",
        )
    if mount.metadata_prefetch and mount.metadata_ttl_s == 0:
        yield Problem(
            "bucket.mount.metadata_prefetch",
            "names and sizes that are read at the mount are believed for 0 seconds "
            "(metadata_ttl_s); nearest: false",
        )


def bucket_problems(bucket: StackBucket) -> Iterator[Problem]:
    if bucket.hierarchical_namespace and bucket.versioning:
        yield Problem(
            "bucket.versioning",
            "a bucket with a hierarchical namespace keeps no versions; nearest: false, or "
            "hierarchical_namespace false",
        )
    if bucket.hierarchical_namespace and bucket.force_destroy:
        yield Problem(
            "bucket.force_destroy",
            "destroy deletes the objects of a bucket and none of the folders that a hierarchical "
            "namespace has, so it would stop at them; nearest: false, or hierarchical_namespace "
            "false",
        )
    days = bucket.soft_delete_days
    if days and days not in _SOFT_DELETE_DAYS:
        nearest = 7 if days < _SOFT_DELETE_DAYS.start else 90
        yield Problem(
            "bucket.soft_delete_days",
            f"{days} days are not what Cloud Storage keeps deleted objects for (0, or 7 to 90); "
            f"nearest: {nearest}",
        )
