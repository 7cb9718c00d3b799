"""A bucket that pods mount with Cloud Storage FUSE. No Pulumi import."""

from stacks.blocks.bucket import AnyBucket
from stacks.types import GiB


class StackBucket(AnyBucket, frozen=True):
    """`name` defaults to those of the stack, of the bucket here, and of the project.

    With `claim_gib` pods mount it by a claim, else as a volume that lives with the pod. A bucket
    has no size: it is only what the claim's volume is said to have.
    """

    claim_gib: GiB | None = None
