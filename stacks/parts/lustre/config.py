"""Managed Lustre. No Pulumi import."""

from typing import Annotated, NamedTuple

from pydantic import AfterValidator

from catalog import check_filesystem_name
from stacks.types import Block, GiB, LustreName, LustrePath, MbpsPerTib


def _filesystem(value: str) -> str:
    check_filesystem_name(value)
    return value


FilesystemName = Annotated[str, AfterValidator(_filesystem)]


class MadeLustre(NamedTuple):
    """An instance that the stack makes, with all that it is made of."""

    name: str
    capacity_gib: int
    throughput_mbps_per_tib: int
    filesystem: str


class StackLustre(Block, frozen=True):
    """A Managed Lustre instance, made here or existing."""

    existing: LustreName | None = None
    """Name of one that exists already, whose file system and capacity the other keys say."""
    name: LustreName | None = None
    """Name of the instance that is made."""
    capacity_gib: GiB | None = None
    """GiB, in the steps of the tier."""
    throughput_mbps_per_tib: MbpsPerTib | None = None
    """MB/s for each TiB: the tier."""
    filesystem: FilesystemName = "lustre"
    """Name of the file system, 1 to 8 letters and digits."""
    mount_path: LustrePath = "/lustre"
    """Where pods mount it."""
    cmek: bool = True
    """Encrypt it with the stack's `cmek`; an instance that was made without keeps Google's key by
    `false`."""

    @property
    def instance_name(self) -> str:
        return self.existing or self.name or ""

    @property
    def made(self) -> MadeLustre | None:
        """The rules refuse one that lacks anything."""
        name, gib, speed = self.name, self.capacity_gib, self.throughput_mbps_per_tib
        if self.existing is not None or name is None or gib is None or speed is None:
            return None
        return MadeLustre(name, gib, speed, self.filesystem)
