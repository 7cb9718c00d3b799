"""A bucket that pods mount with Cloud Storage FUSE: how they do, and what Cloud Storage does by
itself with its objects. No Pulumi import."""

from enum import StrEnum

from stacks.types import (
    Block,
    BlockCount,
    BucketName,
    BucketPath,
    CacheMiB,
    CacheSeconds,
    FileMode,
    GiB,
    KeptVersions,
    NegativeCacheSeconds,
    ObjectNamePart,
    ReadAheadKiB,
    RelativePath,
    RenameLimit,
    SidecarCpus,
    SidecarMemoryGiB,
    SidecarStorageGiB,
    SoftDeleteDays,
    StoredDays,
    UserId,
)


class LogSeverity(StrEnum):
    """How much Cloud Storage FUSE logs."""

    TRACE = "trace"
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    OFF = "off"


class GcsFuseSidecar(Block, frozen=True):
    """Limits of the container that mounts the bucket, which are also what it requests.

    0 is no limit; GKE's own request stays then.
    """

    cpu: SidecarCpus | None = None
    """CPUs; by default what the files written at once take."""
    memory_gib: SidecarMemoryGiB | None = None
    """GiB of memory; by default what the files written at once take."""
    ephemeral_storage_gib: SidecarStorageGiB | None = None
    """GiB on the node's disk, with the read cache; by default GKE's own."""

    @property
    def millicores(self) -> int | None:
        return None if self.cpu is None else round(self.cpu * 1000)


class GcsFuse(Block, frozen=True):
    """Mount options of Cloud Storage FUSE, by what they are.

    The defaults suit several nodes that write one set of files: nothing is believed from a cache,
    and nothing is kept on the node's disk.
    """

    implicit_dirs: bool = True
    """See directories that no object stands for."""
    metadata_negative_ttl_s: NegativeCacheSeconds = 0
    """Seconds to believe that a file is not there."""
    metadata_ttl_s: CacheSeconds = 0
    """Seconds to believe what is known of a file; -1 for ever."""
    stat_cache_mib: CacheMiB = 32
    """MiB of memory for what is known of files; -1 is no limit."""
    file_cache_mib: CacheMiB = 0
    """MiB of the read cache on the node's own disk; 0 is none, -1 no limit."""
    cache_file_for_range_read: bool = True
    """Cache the whole file when a part is read; with a read cache."""
    parallel_downloads: bool = True
    """Load several parts of a file at once; with a read cache."""
    read_ahead_kib: ReadAheadKiB = 1024
    """KiB that the kernel reads ahead."""
    streaming_writes: bool = True
    """Write without a copy on the node's disk first."""
    write_global_max_blocks: BlockCount | None = None
    """Files that are streamed at once; by default what a pod writes, and 4 at least."""
    uid: UserId | None = None
    """User whose files they are; by default root."""
    gid: UserId | None = None
    """Group whose files they are, by default root's."""
    directory_mode: FileMode | None = None
    """Mode of directories, such as "775"."""
    file_mode: FileMode | None = None
    """Mode of files, such as "664"."""
    only_dir: RelativePath | None = None
    """One directory of the bucket in place of the whole."""
    rename_dir_limit: RenameLimit | None = None
    """Most files of a directory that is renamed, without real folders."""
    kernel_list_cache_ttl_s: CacheSeconds | None = None
    """Seconds to believe a listing of a directory; -1 for ever."""
    log_severity: LogSeverity | None = None
    """How much is logged."""
    sidecar: GcsFuseSidecar = GcsFuseSidecar()
    """Limits of the container that mounts the bucket."""
    metadata_prefetch: bool = False
    """Read names and sizes at the mount; only with `metadata_ttl_s`."""
    skip_access_check: bool = True
    """Mount without a check that needs a role on the bucket itself."""


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
    """Class that they are moved to, paid for 30, 90 or 365 days at least."""
    age_days: StoredDays | None = None
    """Days since the object was written."""
    num_newer_versions: KeptVersions | None = None
    """How many versions are newer, with `versioning`."""
    days_since_noncurrent: StoredDays | None = None
    """Days since a newer version came or the object was deleted, with `versioning`."""
    prefixes: tuple[ObjectNamePart, ...] = ()
    """Beginnings of names; a folder's ends with a slash."""
    suffixes: tuple[ObjectNamePart, ...] = ()
    """Ends of names, one of which the object has."""

    @property
    def of_versions(self) -> bool:
        """Whether it leaves live objects alone."""
        return self.num_newer_versions is not None or self.days_since_noncurrent is not None

    @property
    def deletes_live(self) -> bool:
        return self.action is LifecycleAction.DELETE and not self.of_versions


class BucketRole(StrEnum):
    """What pods may do: read and write objects, or set their access control lists, too."""

    OBJECT_USER = "objectUser"
    OBJECT_ADMIN = "objectAdmin"

    @property
    def iam_role(self) -> str:
        return f"roles/storage.{self.value}"


class StackBucket(Block, frozen=True):
    """A bucket that pods mount with Cloud Storage FUSE."""

    name: BucketName | None = None
    """Name, one in the whole world; by default made of the stack's and the project's."""
    role: BucketRole = BucketRole.OBJECT_USER
    """What pods of the stack may do with it."""
    hierarchical_namespace: bool = True
    """Real folders: a renamed directory is one operation."""
    versioning: bool = False
    """Keep what is overwritten; only without a hierarchical namespace."""
    soft_delete_days: SoftDeleteDays = 7
    """Days in which deleted objects can be had back; 0, or 7 at least."""
    force_destroy: bool = False
    """Let `destroy` delete the objects; only without a hierarchical namespace."""
    mount_path: BucketPath = "/data"
    """Where pods mount it."""
    mount: GcsFuse = GcsFuse()
    """How pods mount it."""
    existing: BucketName | None = None
    """Name of one that exists already; `hierarchical_namespace` says what it has."""
    lifecycle: tuple[LifecycleRule, ...] = ()
    """What Cloud Storage does by itself with objects; folders stay."""
    claim_gib: GiB | None = None
    """Mount the bucket by a claim, which limits nothing, in place of a volume of each pod."""
