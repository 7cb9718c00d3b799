"""A bucket that pods mount with Cloud Storage FUSE. No Pulumi import."""

from enum import StrEnum

from stacks.block import Block
from stacks.parts.buckets.gcsfuse import GcsFuse
from stacks.parts.buckets.lifecycle import LifecycleRule
from stacks.types import AbsolutePath, BucketName, GiB, SoftDeleteDays


class BucketRole(StrEnum):
    """What pods may do: read and write objects, or set their access control lists, too."""

    OBJECT_USER = "objectUser"
    OBJECT_ADMIN = "objectAdmin"

    @property
    def iam_role(self) -> str:
        return f"roles/storage.{self.value}"


class StackBucket(Block, frozen=True):
    """A bucket that pods mount with Cloud Storage FUSE.

    `name` defaults to those of the stack, of the bucket here, and of the project; `bucket` is left
    out, for it says nothing more.
    """

    name: BucketName | None = None
    """Name, one in the whole world; by default made of the stack's and the project's."""
    role: BucketRole = BucketRole.OBJECT_USER
    """What pods of the stack may do with it."""
    hierarchical_namespace: bool = True
    """Real folders: a renamed directory is one operation."""
    versioning: bool = False
    """Keep what is overwritten; only without a hierarchical namespace."""
    soft_delete_days: SoftDeleteDays = 7
    """Days in which deleted objects can be had back: 0, or 7 to 90."""
    force_destroy: bool = False
    """Let `destroy` delete the objects; refused with a hierarchical namespace, whose folders would
    stay."""
    mount_path: AbsolutePath = "/data"
    """Where pods mount it."""
    mount: GcsFuse = GcsFuse()
    """How pods mount it."""
    existing: BucketName | None = None
    """Name of one that exists already, in place of one made here: it is granted to pods and
    mounted, and never changed. `hierarchical_namespace` is then what it has to have."""
    lifecycle: tuple[LifecycleRule, ...] = ()
    """What Cloud Storage does by itself with objects; folders stay."""
    claim_gib: GiB | None = None
    """With it pods mount the bucket by a claim, else as a volume that lives with the pod. A bucket
    has no size: it is only what the claim's volume is said to have."""
