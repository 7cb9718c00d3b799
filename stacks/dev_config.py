"""Config of the smallest useful stack: a GPU pool that starts from zero, and Ray. No Pulumi."""

from typing import Literal

from stacks.blocks.stack import RayStack

REQUIRED_SECRETS: tuple[str, ...] = ()


class Dev(RayStack, frozen=True):
    kind: Literal["dev"]
