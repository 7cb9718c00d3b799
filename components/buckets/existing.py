"""A Cloud Storage bucket that exists already: read, never made, changed or deleted.

Leaves out who may use it: a grant is a resource of the stack's own, beside those of others.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.existing import Part, first, flag, read_part
from ..base.existing_facts import BucketFacts


@dataclass(frozen=True, kw_only=True)
class ExistingBucketArgs:
    """`project` is only where to look for others: a bucket's name is the whole world's."""

    project: str
    bucket: str


@dataclass(frozen=True, kw_only=True)
class ExistingBucket:
    """What a Bucket hands out, of one that nobody here made; `found` is what was read. There is no
    resource `bucket` that a pod could be replaced with."""

    found: BucketFacts
    bucket_name: pulumi.Output[str]
    url: pulumi.Output[str]
    bucket: None = None


def existing_bucket(args: ExistingBucketArgs, provider: gcp.Provider) -> ExistingBucket:
    """Raises ExistingPartError where it is not there."""
    bucket = read_part(
        Part(
            kind="bucket",
            name=args.bucket,
            place="Cloud Storage",
            listing="storage buckets list",
            options={"project": args.project},
        ),
        lambda: gcp.storage.get_bucket(
            name=args.bucket, opts=pulumi.InvokeOptions(provider=provider)
        ),
    )
    placement = first(bucket.custom_placement_configs)
    found = BucketFacts(
        name=args.bucket,
        url=bucket.url,
        location=bucket.location.upper(),
        regions=() if placement is None else tuple(it.upper() for it in placement.data_locations),
        hierarchical_namespace=flag(bucket.hierarchical_namespaces),
        uniform_access=bool(bucket.uniform_bucket_level_access),
        versioning=flag(bucket.versionings),
        labels=dict(bucket.labels or {}),
    )
    return ExistingBucket(
        found=found,
        bucket_name=pulumi.Output.from_input(found.name),
        url=pulumi.Output.from_input(found.url),
    )
