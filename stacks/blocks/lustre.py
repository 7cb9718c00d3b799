"""The Managed Lustre instance and where pods mount it."""

from typing import Annotated

from pydantic import AfterValidator

from catalog import check_filesystem_name
from stacks.blocks.block import Block
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
