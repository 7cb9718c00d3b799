"""How Cloud Storage FUSE mounts a bucket: typed values to the CSI driver's mount options and to the
annotations of pods. Pure.

Sources, read 2026-11-21: names and meanings of mount options from GoogleCloudPlatform/gcsfuse
cfg/params.yaml (commit 7b392927 of 2026-08-20), `read_ahead_kb`, annotations and their defaults
from GoogleCloudPlatform/gcs-fuse-csi-driver (commit 5fcdc04a of 2026-08-21).
"""

import json
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class GcsFuseMountOptions:
    """A cache of -1 MiB has no limit, and one of 0 is none; ages are in seconds, -1 is for ever.

    How the read cache is filled is only said where there is one: FUSE ends at once when it is told
    to download in parallel into none (gcsfuse cfg/validate.go).

    `metadata_negative_ttl_s` is for files that were not there, `only_dir` is a directory of the
    bucket, mounted in place of the whole. `rename_dir_limit` is how many files a directory may
    have to be renamed, where the bucket has no real folders. None leaves an option to FUSE.
    """

    implicit_dirs: bool
    metadata_negative_ttl_s: int
    metadata_ttl_s: int
    stat_cache_mib: int
    file_cache_mib: int
    cache_file_for_range_read: bool
    parallel_downloads: bool
    read_ahead_kib: int
    streaming_writes: bool
    write_global_max_blocks: int
    uid: int | None
    gid: int | None
    directory_mode: str | None
    file_mode: str | None
    only_dir: str | None
    rename_dir_limit: int | None
    kernel_list_cache_ttl_s: int | None
    log_severity: str | None

    def as_mount_options(self) -> list[str]:
        asked = {
            "uid=": self.uid,
            "gid=": self.gid,
            "dir-mode=": self.directory_mode,
            "file-mode=": self.file_mode,
            "only-dir=": self.only_dir,
            "file-system:rename-dir-limit:": self.rename_dir_limit,
            "file-system:kernel-list-cache-ttl-secs:": self.kernel_list_cache_ttl_s,
            "logging:severity:": self.log_severity,
        }
        return [
            # Left out, it is on where FUSE takes the machine for a large one (gcsfuse
            # cfg/params.yaml, machine-based-optimization; measured with 3.8.4, 2026-11-23).
            "implicit-dirs" if self.implicit_dirs else "implicit-dirs=false",
            f"metadata-cache:negative-ttl-secs:{self.metadata_negative_ttl_s}",
            f"metadata-cache:ttl-secs:{self.metadata_ttl_s}",
            f"metadata-cache:stat-cache-max-size-mb:{self.stat_cache_mib}",
            f"file-cache:max-size-mb:{self.file_cache_mib}",
            *(self._of_the_read_cache() if self.file_cache_mib else ()),
            f"read_ahead_kb={self.read_ahead_kib}",
            f"write:enable-streaming-writes:{json.dumps(self.streaming_writes)}",
            f"write:global-max-blocks:{self.write_global_max_blocks}",
            *(f"{option}{value}" for option, value in asked.items() if value is not None),
        ]

    def _of_the_read_cache(self) -> tuple[str, ...]:
        return (
            f"file-cache:cache-file-for-range-read:{json.dumps(self.cache_file_for_range_read)}",
            f"file-cache:enable-parallel-downloads:{json.dumps(self.parallel_downloads)}",
        )


def volume_attributes(*, skip_access_check: bool, prefetch_metadata: bool) -> dict[str, str]:
    """What the driver is told beside the mount options, however the volume is made."""
    return {
        "skipCSIBucketAccessCheck": json.dumps(skip_access_check),
        "gcsfuseMetadataPrefetchOnMount": json.dumps(prefetch_metadata),
    }


def gcsfuse_annotations(
    *,
    cpu_millicores: int | None = None,
    memory_gib: int | None = None,
    ephemeral_storage_gib: int | None = None,
) -> dict[str, str]:
    """Has GKE's admission add the mounting sidecar, with these limits.

    It requests what it is limited to. 0 is no limit, and then, as with None, GKE's own request:
    250m, 256Mi and 5Gi, which are also the limits where there is None.
    """
    limits = {
        "cpu": (cpu_millicores, "m"),
        "memory": (memory_gib, "Gi"),
        "ephemeral-storage": (ephemeral_storage_gib, "Gi"),
    }
    return {
        "gke-gcsfuse/volumes": "true",
        **{
            f"gke-gcsfuse/{name}-limit": f"{amount}{unit}" if amount else "0"
            for name, (amount, unit) in limits.items()
            if amount is not None
        },
    }
