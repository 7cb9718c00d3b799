"""A stack with Ray on GPU nodes, a bucket that its pods mount, and maybe queues."""

from collections.abc import Iterator
from typing import ClassVar

from components.ray_manifest import READY_MINUTES
from stacks.blocks.bucket_stack import BucketStack
from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.queue_stack import QueueStack
from stacks.blocks.standard_stack import StandardStack
from stacks.problems import Problem
from stacks.rules.queued_ray import (
    asked_twice_problems,
    elastic_problems,
    head_problems,
    placed_problems,
    worker_pool,
)


class RayOnBucketStack(StandardStack, BucketStack, QueueStack, GpuRayStack, frozen=True):
    image: ClassVar[str] = "ray_gpu"

    @property
    def files_at_once(self) -> int:
        """One of each GPU's process."""
        return self.worker_gpus if self.knows_machines and self.worker_gpus else 1

    @property
    def queued_minutes(self) -> dict[str, int]:
        return {} if self.ray.queue is None else {"ray.queue": READY_MINUTES}

    @property
    def elastic_pool(self) -> str | None:
        """The pool of the workers that a queue admits as they come."""
        if self.kueue is None or self.ray.queue is None or self.ray.autoscaling is None:
            return None
        return worker_pool(self.kueue, self.flavor_nodes, self.ray.queue, self.namespace)

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        if self.kueue is not None and self.ray.queue is not None and self.knows_machines:
            yield from head_problems(self.kueue, self.flavor_nodes, self.ray.queue, self.namespace)
            newest = self.facts.release("kueue")
            yield from elastic_problems(self.ray, self.kueue.version or newest, newest)
            yield from placed_problems(self.kueue, self.ray)
            yield from asked_twice_problems(self.kueue, queued=self.queued)
