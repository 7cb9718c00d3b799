"""A bucket that pods mount with Cloud Storage FUSE."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveInt

from stacks.blocks.block import Block
from stacks.types import AbsolutePath, BucketName, FileMode, GiB, ObjectName, RelativePath

_Unlimited = Annotated[int, Field(ge=-1)]


class BucketRole(StrEnum):
    """What pods may do: read and write objects, or set their access control lists, too."""

    OBJECT_USER = "objectUser"
    OBJECT_ADMIN = "objectAdmin"

    @property
    def iam_role(self) -> str:
        return f"roles/storage.{self.value}"


class LogSeverity(StrEnum):
    TRACE = "trace"
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    OFF = "off"


class GcsFuseSidecar(Block, frozen=True):
    """Limits of the container that mounts the bucket, which are also what it requests.

    0 is no limit; GKE's own request stays then. None leaves both to GKE.
    """

    cpu: Annotated[float, Field(ge=0)] | None = None
    memory_gib: NonNegativeInt | None = None
    ephemeral_storage_gib: NonNegativeInt | None = None

    @property
    def millicores(self) -> int | None:
        return None if self.cpu is None else round(self.cpu * 1000)


class GcsFuse(Block, frozen=True):
    """Mount options, by what they are; -1 is no limit. Ages are in seconds.

    Files belong to `uid` and `gid`, by default root's: pods that run as somebody else need them.

    The defaults suit several nodes that write one set of files: nothing is believed from a cache.
    """

    implicit_dirs: bool = True
    metadata_negative_ttl_s: NonNegativeInt = 0
    metadata_ttl_s: _Unlimited = 0
    stat_cache_mib: _Unlimited = -1
    type_cache_mib: _Unlimited = -1
    file_cache_mib: _Unlimited = -1
    cache_file_for_range_read: bool = True
    parallel_downloads: bool = True
    read_ahead_kib: PositiveInt = 1024
    streaming_writes: bool = True
    write_global_max_blocks: _Unlimited = 200000
    uid: NonNegativeInt | None = None
    gid: NonNegativeInt | None = None
    directory_mode: FileMode | None = None
    file_mode: FileMode | None = None
    only_dir: RelativePath | None = None
    rename_dir_limit: NonNegativeInt | None = None
    kernel_list_cache_ttl_s: _Unlimited | None = None
    log_severity: LogSeverity | None = None
    sidecar: GcsFuseSidecar = GcsFuseSidecar()
    metadata_prefetch: bool = True
    skip_access_check: bool = True


class Bucket(Block, frozen=True):
    """`name` defaults to the stack's and the project's. Deleted objects can be had back for
    `soft_delete_days`: 0, or 7 to 90.

    Pods have `role` on the bucket when they run as `account`, a Kubernetes service account, which
    defaults to the stack's name.
    """

    name: BucketName | None = None
    role: BucketRole = BucketRole.OBJECT_USER
    account: ObjectName | None = None
    hierarchical_namespace: bool = True
    versioning: bool = False
    soft_delete_days: NonNegativeInt = 7
    force_destroy: bool = False
    mount_path: AbsolutePath = "/data"
    mount: GcsFuse = GcsFuse()


class ClaimedBucket(Bucket, frozen=True):
    """One that pods mount by a claim. `capacity_gib` is only what its volume is said to have: a
    bucket has no size."""

    capacity_gib: GiB = 768
