"""A bucket as a pod mounts it."""

from __future__ import annotations

from dataclasses import dataclass, replace

_BLOCKS = "write:global-max-blocks:"


@dataclass(frozen=True)
class PodBucket:
    """`options` are Cloud Storage FUSE's, and the limits the sidecar's; None is no limit."""

    options: tuple[str, ...]
    hierarchical: bool
    memory_mib: int | None
    disk_mib: int | None

    @property
    def streams(self) -> int:
        """How many files are written at once with no copy on the disk first."""
        return next(int(it.removeprefix(_BLOCKS)) for it in self.options if it.startswith(_BLOCKS))

    def with_streams(self, count: int) -> PodBucket:
        others = (it for it in self.options if not it.startswith(_BLOCKS))
        return replace(self, options=(*others, f"{_BLOCKS}{count}"))
