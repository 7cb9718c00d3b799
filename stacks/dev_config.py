"""Config of the smallest useful stack: GPUs that start from zero, Ray, queues, a bucket."""

from typing import ClassVar, Literal

from stacks.blocks.bucket_stack import BucketStack
from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.queue_stack import QueueStack
from stacks.blocks.standard_stack import StandardStack
from stacks.rules.ray_fit import Host

REQUIRED_SECRETS: tuple[str, ...] = ()


class Dev(StandardStack, BucketStack, QueueStack, GpuRayStack, frozen=True):
    image: ClassVar[str] = "ray_gpu"

    kind: Literal["dev"]

    @property
    def head_host(self) -> Host:
        return self.cpu_host
