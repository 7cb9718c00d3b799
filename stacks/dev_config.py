"""Config of the smallest useful stack: a GPU pool that starts from zero, and Ray. No Pulumi."""

from typing import ClassVar, Literal

from stacks.blocks.standard_stack import StandardStack

REQUIRED_SECRETS: tuple[str, ...] = ()


class Dev(StandardStack, frozen=True):
    image: ClassVar[str] = "ray_gpu"

    kind: Literal["dev"]
