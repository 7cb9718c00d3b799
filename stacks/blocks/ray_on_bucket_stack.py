"""A stack with Ray on GPU nodes, a bucket that its pods mount, and maybe queues."""

from collections.abc import Iterator
from typing import ClassVar

from stacks.blocks.bucket_stack import BucketStack
from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.queue_stack import QueueStack
from stacks.blocks.standard_stack import StandardStack
from stacks.problems import Problem
from stacks.rules.queued_ray import head_problems
from stacks.rules.ray_fit import Host


class RayOnBucketStack(StandardStack, BucketStack, QueueStack, GpuRayStack, frozen=True):
    image: ClassVar[str] = "ray_gpu"

    @property
    def head_host(self) -> Host:
        return self.cpu_host

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        if self.kueue is not None and self.ray.queue is not None and self.knows_machines:
            yield from head_problems(self.kueue, self.flavor_nodes, self.ray.queue, self.namespace)
