"""How pods mount a bucket with Cloud Storage FUSE. No Pulumi import."""

from enum import StrEnum

from stacks.block import Block
from stacks.types import (
    BlockCount,
    CacheMiB,
    CacheSeconds,
    FileMode,
    NegativeCacheSeconds,
    ReadAheadKiB,
    RelativePath,
    RenameLimit,
    SidecarCpus,
    SidecarMemoryGiB,
    SidecarStorageGiB,
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
    """CPUs; by default what the files that a pod writes at once take."""
    memory_gib: SidecarMemoryGiB | None = None
    """GiB of memory; by default what the files that a pod writes at once take."""
    ephemeral_storage_gib: SidecarStorageGiB | None = None
    """GiB on the node's disk, the read cache among them; by default GKE's own."""

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
    """MiB of memory for what is known of files, where `metadata_ttl_s` is not 0; -1 is no limit."""
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
    """Files that are streamed at once; by default as many as a pod of the stack writes, and 4 at
    least."""
    uid: UserId | None = None
    """User whose files they are, by default root. Pods that run as another user need it."""
    gid: UserId | None = None
    """Group whose files they are, by default root's."""
    directory_mode: FileMode | None = None
    """Mode of directories, such as "775"."""
    file_mode: FileMode | None = None
    """Mode of files, such as "664"."""
    only_dir: RelativePath | None = None
    """One directory of the bucket in place of the whole."""
    rename_dir_limit: RenameLimit | None = None
    """Most files of a directory that is renamed, on a bucket without real folders."""
    kernel_list_cache_ttl_s: CacheSeconds | None = None
    """Seconds to believe a listing of a directory; -1 for ever."""
    log_severity: LogSeverity | None = None
    """How much is logged."""
    sidecar: GcsFuseSidecar = GcsFuseSidecar()
    """Limits of the container that mounts the bucket."""
    metadata_prefetch: bool = False
    """Read names and sizes at the mount, by one more container; refused while `metadata_ttl_s` is
    0."""
    skip_access_check: bool = True
    """Mount without a check that needs a role on the bucket itself."""
