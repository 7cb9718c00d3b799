"""Managed Lustre. No Pulumi import."""

from typing import Annotated

from pydantic import AfterValidator

from catalog import check_filesystem_name
from stacks.block import Block
from stacks.types import AbsolutePath, GiB, LustreName, MbpsPerTib


def _filesystem(value: str) -> str:
    check_filesystem_name(value)
    return value


FilesystemName = Annotated[str, AfterValidator(_filesystem)]


class Lustre(Block, frozen=True):
    """A Managed Lustre instance."""

    name: LustreName
    """Name of the instance."""
    capacity_gib: GiB
    """GiB, in the steps of the tier."""
    throughput_mbps_per_tib: MbpsPerTib
    """MB/s for each TiB: the tier."""
    filesystem: FilesystemName = "lustre"
    """Name of the file system, 1 to 8 letters and digits."""
    mount_path: AbsolutePath = "/lustre"
    """Where pods mount it."""


class StackLustre(Block, frozen=True):
    """A Managed Lustre instance, made here or existing."""

    existing: LustreName | None = None
    """Name of one that exists already, in the stack's zone and on its network. It is never changed;
    the file system and the capacity beside it are what it has to have."""
    name: LustreName | None = None
    """Name of the instance that is made."""
    capacity_gib: GiB | None = None
    """GiB, in the steps of the tier; one that is made needs it."""
    throughput_mbps_per_tib: MbpsPerTib | None = None
    """MB/s for each TiB: the tier; one that is made needs it."""
    filesystem: FilesystemName = "lustre"
    """Name of the file system, 1 to 8 letters and digits."""
    mount_path: AbsolutePath = "/lustre"
    """Where pods mount it."""

    @property
    def instance_name(self) -> str:
        return self.existing or self.name or ""

    @property
    def made(self) -> Lustre | None:
        """The instance that the stack makes; the rules refuse one that lacks anything."""
        if self.existing is not None:
            return None
        return Lustre.model_construct(**self.model_dump(exclude={"existing"}))
