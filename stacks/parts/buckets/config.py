"""A bucket that pods mount with Cloud Storage FUSE. No Pulumi import."""

from stacks.blocks.bucket import AnyBucket
from stacks.types import GiB


class StackBucket(AnyBucket, frozen=True):
    """A bucket that pods mount with Cloud Storage FUSE.

    `name` defaults to those of the stack, of the bucket here, and of the project; `bucket` is left
    out, for it says nothing more.
    """

    claim_gib: GiB | None = None
    """With it pods mount the bucket by a claim, else as a volume that lives with the pod. A bucket
    has no size: it is only what the claim's volume is said to have."""
