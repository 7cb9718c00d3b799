"""What Cloud Storage does by itself with objects of a bucket. No Pulumi import."""

from enum import StrEnum

from stacks.block import Block
from stacks.types import KeptVersions, ObjectNamePart, StoredDays


class LifecycleAction(StrEnum):
    """Delete objects, or move them to a class that is cheaper to keep and dearer to read."""

    DELETE = "delete"
    SET_STORAGE_CLASS = "set-storage-class"


class StorageClass(StrEnum):
    """What an object can be moved to. There is no way back by a rule."""

    NEARLINE = "nearline"
    COLDLINE = "coldline"
    ARCHIVE = "archive"


class LifecycleRule(Block, frozen=True):
    """What becomes of the objects that meet all conditions of the rule."""

    action: LifecycleAction
    """Delete them, or move them to `storage_class`."""
    storage_class: StorageClass | None = None
    """Class that they are moved to; 30, 90 or 365 days of it are paid for in any case."""
    age_days: StoredDays | None = None
    """Days since the object was written."""
    num_newer_versions: KeptVersions | None = None
    """Versions that are newer, for buckets with `versioning`; the rule leaves live objects alone
    then."""
    days_since_noncurrent: StoredDays | None = None
    """Days since a newer version came or the object was deleted, for buckets with `versioning`;
    the rule leaves live objects alone then."""
    prefixes: tuple[ObjectNamePart, ...] = ()
    """Beginnings of names, one of which the object has; a folder's ends with a slash."""
    suffixes: tuple[ObjectNamePart, ...] = ()
    """Ends of names, one of which the object has."""

    @property
    def of_versions(self) -> bool:
        """Whether it leaves live objects alone."""
        return self.num_newer_versions is not None or self.days_since_noncurrent is not None

    @property
    def deletes_live(self) -> bool:
        return self.action is LifecycleAction.DELETE and not self.of_versions
