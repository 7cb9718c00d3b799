"""What follows from a bucket: its name, how it is mounted, what that takes. No Pulumi import.

Sources of what a sidecar takes: docs/troubleshooting.md and pkg/webhook of
GoogleCloudPlatform/gcs-fuse-csi-driver, read 2026-11-21; docs/semantics.md and cfg of
GoogleCloudPlatform/gcsfuse, commit 7b392927 of 2026-08-20.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from catalog import Catalog, Sidecar
from stacks.parts.buckets.config import GcsFuseSidecar, StackBucket

_Number = TypeVar("_Number", int, float)
# Says no more than that it is one.
_PLAIN_KEY = "bucket"
_CLAIM_GIB = 768
_MIB = 1024
_UNLIMITED = GcsFuseSidecar(cpu=0, memory_gib=0, ephemeral_storage_gib=0)


@dataclass(frozen=True, kw_only=True)
class PlannedBucket:
    """`name` is the bucket's own, `key` the stack's for it; a pod writes at most
    `files_at_once` to it at once. Where it is `claimed` a job waits for its volume. It is
    `on_large_hosts` where only pods mount it whose sidecars have no limit of memory, and their
    workers are on machines that Cloud Storage FUSE calls large."""

    key: str
    config: StackBucket
    name: str
    facts: Catalog
    files_at_once: int = 1
    claimed: bool = False
    on_large_hosts: bool = False

    @property
    def field(self) -> str:
        return f"buckets.{self.key}"

    @property
    def volume(self) -> str:
        """Its name among the volumes of a pod."""
        return with_key("bucket", self.key)

    @property
    def name_field(self) -> str:
        return f"{self.field}.{'name' if self.config.existing is None else 'existing'}"

    @property
    def claim_gib(self) -> int | None:
        """The size of a claim's volume, which says nothing; None without a claim."""
        asked = self.config.claim_gib
        return _CLAIM_GIB if asked is None and self.claimed else asked

    @property
    def streamed_files(self) -> int:
        """How many files FUSE streams at once."""
        return self._streamed(self.files_at_once)

    @property
    def rename_dir_limit(self) -> int | None:
        """How many files a directory may have to be renamed; a hierarchical bucket has no limit."""
        asked = self.config.mount.rename_dir_limit
        if asked is None and not self.config.hierarchical_namespace:
            return self.facts.gcsfuse.rename_dir_limit
        return asked

    def limits_for(self, files: int) -> GcsFuseSidecar:
        """Limits of the container that mounts the bucket in a pod that writes `files` at once: what
        the config says, else what they take.

        No figure for CPUs is published: one file has what GKE gives the whole sidecar.
        """
        wanted, usual = self.config.mount.sidecar, self.facts.gcsfuse_sidecar
        memory = -(-self.needed_memory_mib(files) // _MIB)
        return GcsFuseSidecar(
            cpu=usual.cpu_millicores * files / 1000 if wanted.cpu is None else wanted.cpu,
            memory_gib=memory if wanted.memory_gib is None else wanted.memory_gib,
            ephemeral_storage_gib=wanted.ephemeral_storage_gib,
        )

    def needed_memory_mib(self, files: int) -> int:
        """GKE's own size, each file that is streamed, and what is kept of names and sizes."""
        mount, usual, fuse = self.config.mount, self.facts.gcsfuse_sidecar, self.facts.gcsfuse
        streamed = min(files, self._streamed(files)) if mount.streaming_writes else 0
        kept = max(0, mount.stat_cache_mib) if mount.metadata_ttl_s else 0
        return usual.memory_mib + streamed * fuse.streamed_file_mib + kept

    def _streamed(self, files: int) -> int:
        """As many as the config says, else all that a pod writes, and no fewer than FUSE's own
        number, which is `most_blocks` on large machines. Where the sidecar has a limit of memory,
        that number would be more than fits into it."""
        fuse, asked = self.facts.gcsfuse, self.config.mount.write_global_max_blocks
        own = fuse.most_blocks if self.on_large_hosts else fuse.blocks
        return asked or min(max(own, files), fuse.most_blocks)


def with_key(base: str, key: str) -> str:
    """The name of what belongs to the bucket of this key; one called `bucket` adds nothing."""
    return base if key == _PLAIN_KEY else f"{base}-{key}"


def limits_of(mounted: Sequence[tuple[PlannedBucket, int]]) -> GcsFuseSidecar | None:
    """Limits of the one container that mounts all buckets of a pod, each with how many files the
    pod writes to it at once; None without any."""
    if not mounted:
        return None
    each = [bucket.limits_for(files) for bucket, files in mounted]
    return GcsFuseSidecar(
        cpu=_added([it.cpu for it in each]),
        memory_gib=_added([it.memory_gib for it in each]),
        ephemeral_storage_gib=_added([it.ephemeral_storage_gib for it in each]),
    )


def unlimited(mounted: Sequence[PlannedBucket]) -> GcsFuseSidecar | None:
    """None but the config's own, for pods on nodes that have nothing else to do."""
    if not mounted:
        return None
    asked: dict[str, float] = {}
    for bucket in mounted:
        asked |= bucket.config.mount.sidecar.model_dump(exclude_none=True)
    return _UNLIMITED.model_copy(update=asked)


def sidecar_of(
    mounted: Sequence[PlannedBucket], limits: GcsFuseSidecar | None, facts: Catalog
) -> Sidecar | None:
    """What the containers request that GKE adds to a pod with these buckets."""
    if limits is None:
        return None
    sized = sized_sidecar(limits, facts.gcsfuse_sidecar)
    if any(it.config.mount.metadata_prefetch for it in mounted):
        return with_prefetch(sized, facts.gcsfuse_prefetch)
    return sized


def sized_sidecar(wanted: GcsFuseSidecar, usual: Sidecar) -> Sidecar:
    """What the mounting sidecar requests: its limit where it has one, else what is usual."""
    return usual.model_copy(
        update={
            "cpu_millicores": wanted.millicores or usual.cpu_millicores,
            "memory_mib": (wanted.memory_gib or 0) * _MIB or usual.memory_mib,
            "ephemeral_storage_mib": (wanted.ephemeral_storage_gib or 0) * _MIB
            or usual.ephemeral_storage_mib,
        }
    )


def with_prefetch(sidecar: Sidecar, second: Sidecar) -> Sidecar:
    """Both containers, where names and sizes are read at the mount."""
    return sidecar.model_copy(
        update={
            "cpu_millicores": sidecar.cpu_millicores + second.cpu_millicores,
            "memory_mib": sidecar.memory_mib + second.memory_mib,
            "ephemeral_storage_mib": sidecar.ephemeral_storage_mib + second.ephemeral_storage_mib,
        }
    )


def _added(limits: Sequence[_Number | None]) -> _Number | None:
    """0 is no limit, and None GKE's own, which is there once."""
    given = [it for it in limits if it is not None]
    if not given:
        return None
    return min(given) if 0 in given else sum(given[1:], given[0])
