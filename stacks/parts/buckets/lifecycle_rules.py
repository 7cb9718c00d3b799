"""Lifecycle rules that Cloud Storage takes, that do something, and that leave jobs what they need.

Sources: Cloud Storage documentation, "Object Lifecycle Management"; how many rules a bucket takes
and what becomes of zeros: hashicorp/terraform-provider-google-beta google-beta/services/storage/
resource_storage_bucket.go, 0241f12b, and hashicorp/terraform-provider-google issues 12585 (no
condition is an invalid argument) and 17990 (zeros that were left out took a whole bucket); what a
hierarchical namespace excludes: the preconditions of GoogleCloudPlatform/cluster-toolkit
modules/file-system/cloud-storage-bucket, 0c5df76d; directories: GoogleCloudPlatform/gcsfuse issue
368. All read 2026-11-22.
"""

from collections.abc import Iterator

from stacks.parts.buckets.config import LifecycleAction, LifecycleRule, StorageClass
from stacks.parts.buckets.plan import PlannedBucket
from stacks.plan import Plan
from stacks.problems import Problem

_MOST = 100


def lifecycle_problems(plan: Plan) -> Iterator[Problem]:
    """Of buckets that are made here; the rules of others are not the stack's."""
    for bucket in plan.buckets.values():
        if bucket.config.existing is not None:
            continue
        rules, field = bucket.config.lifecycle, f"{bucket.field}.lifecycle"
        if len(rules) > _MOST:
            yield Problem(
                field, f"{len(rules)} rules are more than a bucket takes; nearest: {_MOST} of them"
            )
            continue
        for place, rule in enumerate(rules):
            at = f"{field}[{place}]"
            yield from _class_problems(at, rule)
            yield from _condition_problems(at, rule)
            yield from _version_problems(at, rule, bucket)
            yield from _kept_problems(at, rule, _keeping(plan, bucket.key))
        yield from _directory_problems(bucket)


def _class_problems(field: str, rule: LifecycleRule) -> Iterator[Problem]:
    moves, given = rule.action is LifecycleAction.SET_STORAGE_CLASS, rule.storage_class
    if moves and given is None:
        yield Problem(f"{field}.storage_class", f"missing; nearest: {', '.join(StorageClass)}")
    elif given is not None and not moves:
        yield Problem(
            f"{field}.storage_class",
            f"{given}: what is deleted has no class; nearest: leave it out, or action "
            f"{LifecycleAction.SET_STORAGE_CLASS}",
        )


def _condition_problems(field: str, rule: LifecycleRule) -> Iterator[Problem]:
    if rule.deletes_live and rule.age_days is None:
        yield Problem(
            f"{field}.age_days",
            "missing; without it all that the rule is for goes as soon as it is written; "
            "nearest: 30",
        )
    elif rule.age_days is None and not (rule.of_versions or rule.prefixes or rule.suffixes):
        yield Problem(
            field, "Cloud Storage takes no rule without a condition; nearest: age_days 30"
        )


def _version_problems(field: str, rule: LifecycleRule, bucket: PlannedBucket) -> Iterator[Problem]:
    """Cloud Storage takes such a rule, and it finds nothing."""
    if bucket.config.versioning:
        return
    needed = "versioning true"
    if bucket.config.hierarchical_namespace:
        needed += " with hierarchical_namespace false"
    for key in ("num_newer_versions", "days_since_noncurrent"):
        if (value := getattr(rule, key)) is not None:
            yield Problem(
                f"{field}.{key}",
                f"{value}: the bucket keeps no versions, so the rule would never find any; "
                f"nearest: leave it out, or {needed}",
            )


def _kept_problems(field: str, rule: LifecycleRule, jobs: list[str]) -> Iterator[Problem]:
    """What a job goes on from, or loads again when it is started again, is as old as anything else
    and is not written anew. Who names a folder or an ending knows what is there."""
    if jobs and rule.deletes_live and not (rule.prefixes or rule.suffixes):
        yield Problem(
            f"{field}.prefixes",
            f"missing; {', '.join(jobs)} would lose what it goes on from at that age, too; "
            "nearest: the folders that may go",
        )


def _keeping(plan: Plan, bucket: str) -> list[str]:
    """The jobs whose data is in a bucket."""
    on_ray = [name for name, it in plan.ray_jobs.items() if plan.storage_of(it) == bucket]
    own = [it.name for it in plan.fine_tunings.values() if it.bucket.key == bucket]
    return [f"jobs.{it}" for it in (*on_ray, *own)]


def _directory_problems(bucket: PlannedBucket) -> Iterator[Problem]:
    """Directories of a flat bucket are objects, which are deleted like any other."""
    config = bucket.config
    if config.hierarchical_namespace or config.mount.implicit_dirs:
        return
    for place, rule in enumerate(config.lifecycle):
        if rule.deletes_live and not rule.suffixes:
            yield Problem(
                f"{bucket.field}.mount.implicit_dirs",
                f"false: lifecycle[{place}] deletes the objects that stand for directories, and "
                "nothing sees the files in those then; nearest: true",
            )
            return
