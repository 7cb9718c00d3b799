"""The Managed Lustre instance and where pods mount it."""

from typing import Annotated

from pydantic import AfterValidator

from catalog import check_filesystem_name
from stacks.blocks.block import Block
from stacks.types import AbsolutePath, GiB, LustreName, MbpsPerTib


def _filesystem(value: str) -> str:
    check_filesystem_name(value)
    return value


class Lustre(Block, frozen=True):
    name: LustreName
    capacity_gib: GiB
    throughput_mbps_per_tib: MbpsPerTib
    filesystem: Annotated[str, AfterValidator(_filesystem)] = "lustre"
    mount_path: AbsolutePath = "/lustre"
