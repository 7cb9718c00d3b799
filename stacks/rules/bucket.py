"""What Cloud Storage takes together.

Sources: Cloud Storage documentation (hierarchical namespace, soft delete), the preconditions of
GoogleCloudPlatform/cluster-toolkit, read 2026-11-21.
"""

from collections.abc import Iterator

from stacks.blocks.bucket import Bucket
from stacks.problems import Problem

_SOFT_DELETE_DAYS = range(7, 91)


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
