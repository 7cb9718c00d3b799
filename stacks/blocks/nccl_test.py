"""The test of the GPU network before Ray starts."""

from stacks.blocks.block import Block
from stacks.types import GigabytesPerSecond


class NcclTest(Block, frozen=True):
    """An all-gather over two nodes. It fails below `minimum_bus_bandwidth_gbps` (gigabytes a second
    at 8 GiB); 0 asks only that it completes.

    Google's own sample runs show 344 on A4 and 330 on A3 Ultra.
    """

    minimum_bus_bandwidth_gbps: GigabytesPerSecond = 0
