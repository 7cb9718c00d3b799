"""What Cloud Storage takes together, where and how pods can mount a bucket, and what the mounting
container has to hold. No Pulumi import.

Sources: Cloud Storage documentation (hierarchical namespace, soft delete), the preconditions of
GoogleCloudPlatform/cluster-toolkit, docs/troubleshooting.md and pkg/webhook of
GoogleCloudPlatform/gcs-fuse-csi-driver, read 2026-11-21; the deletion of a bucket in
hashicorp/terraform-provider-google-beta google-beta/services/storage/resource_storage_bucket.go,
commit 93c65b2d of 2026-08-21.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath

from components.base.naming import GIVEN_ACCOUNT, NameKind, check_bucket_name, check_name
from stacks.beside import beside_problems
from stacks.parts.buckets.lifecycle_rules import lifecycle_problems
from stacks.parts.buckets.plan import PlannedBucket
from stacks.plan import Plan
from stacks.problems import Problem, problem_of

_OF_MADE = ("name", "versioning", "soft_delete_days", "force_destroy", "lifecycle")
_SOFT_DELETE_DAYS = range(7, 91)
_MIB = 1024


def existing_problems(plan: Plan) -> Iterator[Problem]:
    """What a bucket that exists already is, its owner decides."""
    for bucket in plan.buckets.values():
        if bucket.config.existing is not None:
            whose = "the bucket is there already, with its own"
            yield from beside_problems(bucket.field, bucket.config, _OF_MADE, whose)


def account_problems(plan: Plan) -> Iterator[Problem]:
    """By default the account has the stack's name, which may be the one that is nobody's own."""
    if plan.buckets and plan.account_name == GIVEN_ACCOUNT:
        yield Problem(
            "service_account",
            "missing: by default it has the stack's name, which Kubernetes has for pods that name "
            "none; nearest: pods",
        )


def own_problems(plan: Plan) -> Iterator[Problem]:
    for bucket in plan.buckets.values():
        yield from _storage_problems(bucket)
        yield from mount_problems(bucket, autopilot=plan.autopilot)
        yield from problem_of(bucket.name_field, partial(_check_name, bucket.name))


def _check_name(name: str) -> None:
    check_bucket_name(check_name(NameKind.BUCKET, name))


def _storage_problems(bucket: PlannedBucket) -> Iterator[Problem]:
    field, config, days = bucket.field, bucket.config, bucket.config.soft_delete_days
    if config.hierarchical_namespace and config.versioning:
        yield Problem(
            f"{field}.versioning",
            "a bucket with a hierarchical namespace keeps no versions; nearest: false, or "
            "hierarchical_namespace false",
        )
    if config.hierarchical_namespace and config.force_destroy:
        yield Problem(
            f"{field}.force_destroy",
            "destroy deletes the objects of a bucket and none of the folders that a hierarchical "
            "namespace has, so it would stop at them; nearest: false, or hierarchical_namespace "
            "false",
        )
    # No more than 90 are read from a config.
    if days and days not in _SOFT_DELETE_DAYS:
        yield Problem(
            f"{field}.soft_delete_days",
            f"{days} days are not what Cloud Storage keeps deleted objects for (0, or 7 to 90); "
            "nearest: 7",
        )


def mount_problems(bucket: PlannedBucket, *, autopilot: bool) -> Iterator[Problem]:
    """What the sidecar may be, and what it has to hold for all files that a pod writes at once."""
    mount, files = bucket.config.mount, bucket.files_at_once
    limits, field = bucket.limits_for(files), f"{bucket.field}.mount"
    if autopilot:
        yield from _autopilot_problems(bucket)
    yield from _cache_problems(bucket)
    if mount.metadata_prefetch and mount.metadata_ttl_s == 0:
        yield Problem(
            f"{field}.metadata_prefetch",
            "names and sizes that are read at the mount are believed for 0 seconds "
            "(metadata_ttl_s); nearest: false",
        )
    if mount.streaming_writes and bucket.streamed_files < files:
        yield Problem(
            f"{field}.write_global_max_blocks",
            f"{bucket.streamed_files} files are streamed at once, and a pod writes {files}: the "
            f"others go to the sidecar's disk first; nearest: {files}",
        )
        return
    given, needed = limits.memory_gib, bucket.needed_memory_mib(files)
    if given and given * _MIB < needed:
        yield Problem(
            f"{field}.sidecar.memory_gib",
            f"{given} GiB are less than the {needed} MiB that {files} files written at once and "
            f"what is known of others take; nearest: {-(-needed // _MIB)}",
        )


def _autopilot_problems(bucket: PlannedBucket) -> Iterator[Problem]:
    usual, asked = bucket.facts.gcsfuse_sidecar, bucket.config.mount.sidecar
    least = {
        "cpu": f"{usual.cpu_millicores / 1000:g}",
        "memory_gib": -(-usual.memory_mib // _MIB),
        "ephemeral_storage_gib": -(-usual.ephemeral_storage_mib // _MIB),
    }
    for key, nearest in least.items():
        if getattr(asked, key) == 0:
            yield Problem(
                f"{bucket.field}.mount.sidecar.{key}",
                f"0 is no limit, and Autopilot has every container limited; nearest: {nearest}",
            )


def _cache_problems(bucket: PlannedBucket) -> Iterator[Problem]:
    """The read cache is an emptyDir, which counts against the sidecar's disk."""
    mount, limit = bucket.config.mount, bucket.config.mount.sidecar.ephemeral_storage_gib
    if limit == 0:
        return
    room = bucket.facts.gcsfuse_sidecar.ephemeral_storage_mib if limit is None else limit * _MIB
    field, cache = f"{bucket.field}.mount.file_cache_mib", mount.file_cache_mib
    if cache < 0:
        yield Problem(
            field,
            "-1 has no bound, and the kubelet evicts a pod whose sidecar writes more than its "
            f"{room // _MIB} GiB of disk; nearest: 0, or {room - 1}",
        )
    elif cache >= room:
        yield Problem(
            field,
            f"{cache} MiB do not fit the sidecar's {room // _MIB} GiB of disk, which holds the "
            f"cache; nearest: {room - 1}",
        )


def apart_problems(plan: Plan) -> Iterator[Problem]:
    """No two buckets of one name, and nothing is mounted in or over anything else."""
    names: dict[str, str] = {}
    for bucket in plan.buckets.values():
        if bucket.name in names:
            yield Problem(
                bucket.name_field,
                f'"{bucket.name}" is the name of {names[bucket.name]}; nearest: '
                + (f"{bucket.name}-{bucket.key}" if bucket.config.existing is None else "another"),
            )
        names.setdefault(bucket.name, bucket.field)
    lustre = plan.stack.lustre
    paths = {} if lustre is None else {"lustre": lustre.mount_path}
    for bucket in plan.buckets.values():
        path = bucket.config.mount_path
        other = next((at for at, it in paths.items() if _meet(it, path)), None)
        if other is not None:
            yield Problem(
                f"{bucket.field}.mount_path",
                f'"{path}" is not apart from "{paths[other]}" of {other}; nearest: /{bucket.key}',
            )
        paths[bucket.field] = path


def _meet(one: str, other: str) -> bool:
    first, second = PurePosixPath(one), PurePosixPath(other)
    return first == second or first in second.parents or second in first.parents


RULES = (existing_problems, account_problems, own_problems, apart_problems, lifecycle_problems)
