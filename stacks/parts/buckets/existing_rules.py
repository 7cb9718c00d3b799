"""Whether a bucket that exists already is what the stack mounts. No Pulumi import."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from components.base.existing_facts import BucketFacts
from stacks.problems import Problem

_AT = "bucket.existing"
# Cloud Storage documentation, "Bucket locations": what a region's name begins with, by the
# multi-region that holds it.
_MULTI_REGIONS = {"US": "us-", "EU": "europe-", "ASIA": "asia-"}


@dataclass(frozen=True, kw_only=True)
class BucketNeeds:
    """What the config says of the bucket."""

    region: str
    hierarchical_namespace: bool


def bucket_problems(found: BucketFacts, needs: BucketNeeds) -> Iterator[Problem]:
    """Uniform access: GoogleCloudPlatform/gcs-fuse-csi-driver docs/authentication.md, 5fcdc04a of
    2026-08-21."""
    field = f"{_AT}.bucket"
    if not _is_near(found, needs.region):
        yield Problem(
            field,
            f'"{found.name}" is in {found.location}, and what pods in {needs.region} read of it '
            f"crosses regions, slow and paid for; nearest: a bucket in {needs.region.upper()}",
        )
    if not found.uniform_access:
        yield Problem(
            field,
            f'"{found.name}" has no uniform bucket-level access, without which pods cannot write '
            "as themselves; nearest: `gcloud storage buckets update "
            f"{shlex.quote(f'gs://{found.name}')} --uniform-bucket-level-access`",
        )
    if found.hierarchical_namespace != needs.hierarchical_namespace:
        has = "a hierarchical" if found.hierarchical_namespace else "no hierarchical"
        yield Problem(
            "bucket.hierarchical_namespace",
            f'"{found.name}" has {has} namespace, which is decided when a bucket is made; '
            f"nearest: {str(found.hierarchical_namespace).lower()}",
        )


def bucket_advice(found: BucketFacts, needs: BucketNeeds) -> Iterator[Problem]:
    """What costs more, but keeps nothing from working."""
    if _is_near(found, needs.region) and found.location != needs.region.upper():
        yield Problem(
            f"{_AT}.bucket",
            f'"{found.name}" is in more regions than {needs.region}, which costs more and reads '
            f"slower; nearest: a bucket in {needs.region.upper()}",
        )
    if found.versioning:
        yield Problem(
            f"{_AT}.bucket",
            f'"{found.name}" keeps old versions, so that every checkpoint that is deleted or '
            "written again is still paid for; nearest: a lifecycle rule for old versions",
        )


def _is_near(found: BucketFacts, region: str) -> bool:
    """In the region, in a dual-region that has it, or in the multi-region around it."""
    if region.upper() in (found.location, *found.regions):
        return True
    around = _MULTI_REGIONS.get(found.location)
    return not found.regions and around is not None and region.startswith(around)
