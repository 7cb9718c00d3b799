"""A bucket that pods mount with Cloud Storage FUSE. No Pulumi import."""

from stacks.blocks.bucket import AnyBucket
from stacks.parts.buckets.lifecycle import LifecycleRule
from stacks.types import BucketName, GiB


class StackBucket(AnyBucket, frozen=True):
    """A bucket that pods mount with Cloud Storage FUSE.

    `name` defaults to those of the stack, of the bucket here, and of the project; `bucket` is left
    out, for it says nothing more.
    """

    existing: BucketName | None = None
    """Name of one that exists already, in place of one made here: it is granted to pods and
    mounted, and never changed. `hierarchical_namespace` is then what it has to have."""
    lifecycle: tuple[LifecycleRule, ...] = ()
    """What Cloud Storage does by itself with objects; folders stay."""
    claim_gib: GiB | None = None
    """With it pods mount the bucket by a claim, else as a volume that lives with the pod. A bucket
    has no size: it is only what the claim's volume is said to have."""
