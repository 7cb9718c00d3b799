"""A bucket that pods mount with Cloud Storage FUSE."""

from enum import StrEnum

from stacks.blocks.block import Block
from stacks.types import (
    AbsolutePath,
    BlockCount,
    BucketName,
    CacheMiB,
    CacheSeconds,
    FileMode,
    GiB,
    NegativeCacheSeconds,
    ObjectName,
    ReadAheadKiB,
    RelativePath,
    RenameLimit,
    SidecarCpus,
    SidecarMemoryGiB,
    SidecarStorageGiB,
    SoftDeleteDays,
    UserId,
)


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

    0 is no limit; GKE's own request stays then. None is what the files that a pod writes at once
    take, and GKE's own for the disk.
    """

    cpu: SidecarCpus | None = None
    memory_gib: SidecarMemoryGiB | None = None
    ephemeral_storage_gib: SidecarStorageGiB | None = None

    @property
    def millicores(self) -> int | None:
        return None if self.cpu is None else round(self.cpu * 1000)


class GcsFuse(Block, frozen=True):
    """Mount options, by what they are; -1 is no limit. Ages are in seconds.

    Files belong to `uid` and `gid`, by default root's: pods that run as somebody else need them.
    `write_global_max_blocks` is how many files are streamed at once, by default as many as a pod of
    the stack writes. `cache_file_for_range_read` and `parallel_downloads` are of the read cache.

    The defaults suit several nodes that write one set of files: nothing is believed from a cache,
    and nothing is kept on the node's disk.
    """

    implicit_dirs: bool = True
    metadata_negative_ttl_s: NegativeCacheSeconds = 0
    metadata_ttl_s: CacheSeconds = 0
    stat_cache_mib: CacheMiB = 32
    file_cache_mib: CacheMiB = 0
    cache_file_for_range_read: bool = True
    parallel_downloads: bool = True
    read_ahead_kib: ReadAheadKiB = 1024
    streaming_writes: bool = True
    write_global_max_blocks: BlockCount | None = None
    uid: UserId | None = None
    gid: UserId | None = None
    directory_mode: FileMode | None = None
    file_mode: FileMode | None = None
    only_dir: RelativePath | None = None
    rename_dir_limit: RenameLimit | None = None
    kernel_list_cache_ttl_s: CacheSeconds | None = None
    log_severity: LogSeverity | None = None
    sidecar: GcsFuseSidecar = GcsFuseSidecar()
    metadata_prefetch: bool = False
    skip_access_check: bool = True


class AnyBucket(Block, frozen=True):
    """Pods of the stack have `role` on the bucket. Deleted objects can be had back for
    `soft_delete_days`: 0, or 7 to 90."""

    name: BucketName | None = None
    role: BucketRole = BucketRole.OBJECT_USER
    hierarchical_namespace: bool = True
    versioning: bool = False
    soft_delete_days: SoftDeleteDays = 7
    force_destroy: bool = False
    mount_path: AbsolutePath = "/data"
    mount: GcsFuse = GcsFuse()


class Bucket(AnyBucket, frozen=True):
    """`name` defaults to the stack's and the project's; pods that use it run as `account`, a
    Kubernetes service account, which defaults to the stack's name."""

    account: ObjectName | None = None


class ClaimedBucket(Bucket, frozen=True):
    """One that pods mount by a claim. `capacity_gib` is only what its volume is said to have: a
    bucket has no size."""

    capacity_gib: GiB = 768
