"""What shows how a stack does."""

from stacks.block import Block


class Monitoring(Block, frozen=True):
    """What is made beside a stack to watch it."""

    dashboard: bool = True
    """Make a Cloud Monitoring dashboard."""
