"""What a container has. No Pulumi import."""

from stacks.block import Block
from stacks.types import Cpus, MemoryGiB, StorageGiB


class Resources(Block, frozen=True):
    """What a container has."""

    cpu: Cpus
    """CPUs, in thousandths at the finest."""
    memory_gib: MemoryGiB
    """GiB of memory."""
    ephemeral_storage_gib: StorageGiB | None = None
    """GiB on the node's own disks."""

    @property
    def millicores(self) -> int:
        return round(self.cpu * 1000)
