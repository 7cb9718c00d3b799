"""The test of the GPU network before Ray starts."""

from stacks.blocks.block import Block
from stacks.types import GigabytesPerSecond


class NcclTest(Block, frozen=True):
    """An all-gather over two nodes, before Ray starts.

    Google's own sample runs show 344 gigabytes a second on A4 and 330 on A3 Ultra.
    """

    minimum_bus_bandwidth_gbps: GigabytesPerSecond = 0
    """Gigabytes a second at 8 GiB below which it fails; 0 asks only that it completes."""
