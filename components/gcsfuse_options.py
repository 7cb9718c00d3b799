"""How Cloud Storage FUSE mounts a bucket: typed values to the CSI driver's mount options. Pure."""

import json
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class GcsFuseMountOptions:
    """Defaults suit large files that several nodes read, and write for each other.

    A cache of -1 MiB has no limit. Metadata is cached for 0 s, so that a node sees at once what
    another one wrote; `metadata_negative_ttl_s` is for files that were not there.
    """

    implicit_dirs: bool = True
    metadata_negative_ttl_s: int = 0
    metadata_ttl_s: int = 0
    stat_cache_mib: int = -1
    type_cache_mib: int = -1
    file_cache_mib: int = -1
    cache_file_for_range_read: bool = True
    parallel_downloads: bool = True
    read_ahead_kib: int = 1024
    streaming_writes: bool = True
    write_global_max_blocks: int = 200_000
    uid: int | None = None
    gid: int | None = None
    directory_mode: str | None = None
    file_mode: str | None = None

    def as_mount_options(self) -> list[str]:
        return [
            *(["implicit-dirs"] if self.implicit_dirs else []),
            f"metadata-cache:negative-ttl-secs:{self.metadata_negative_ttl_s}",
            f"metadata-cache:ttl-secs:{self.metadata_ttl_s}",
            f"metadata-cache:stat-cache-max-size-mb:{self.stat_cache_mib}",
            f"metadata-cache:type-cache-max-size-mb:{self.type_cache_mib}",
            f"file-cache:max-size-mb:{self.file_cache_mib}",
            f"file-cache:cache-file-for-range-read:{json.dumps(self.cache_file_for_range_read)}",
            f"file-cache:enable-parallel-downloads:{json.dumps(self.parallel_downloads)}",
            f"read_ahead_kb={self.read_ahead_kib}",
            f"write:enable-streaming-writes:{json.dumps(self.streaming_writes)}",
            f"write:global-max-blocks:{self.write_global_max_blocks}",
            *([] if self.uid is None else [f"uid={self.uid}"]),
            *([] if self.gid is None else [f"gid={self.gid}"]),
            *([] if self.directory_mode is None else [f"dir-mode={self.directory_mode}"]),
            *([] if self.file_mode is None else [f"file-mode={self.file_mode}"]),
        ]


def volume_attributes(*, skip_access_check: bool, prefetch_metadata: bool) -> dict[str, str]:
    """What the driver is told beside the mount options, however the volume is made."""
    return {
        "skipCSIBucketAccessCheck": json.dumps(skip_access_check),
        "gcsfuseMetadataPrefetchOnMount": json.dumps(prefetch_metadata),
    }
