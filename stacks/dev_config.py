"""Config of the smallest useful stack: GPUs that start from zero, Ray, queues, a bucket."""

from typing import Literal

from stacks.blocks.ray_on_bucket_stack import RayOnBucketStack

REQUIRED_SECRETS: tuple[str, ...] = ()


class Dev(RayOnBucketStack, frozen=True):
    kind: Literal["dev"]
