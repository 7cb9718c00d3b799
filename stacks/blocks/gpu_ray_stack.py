"""A stack with Ray on GPU nodes, and the rules between its parts."""

from collections.abc import Iterator

from stacks.blocks.gpu_stack import GpuStack
from stacks.blocks.nccl_test import NcclTest
from stacks.blocks.queue_stack import QueueStack
from stacks.blocks.ray_stack import RayStack
from stacks.problems import Problem
from stacks.rules.queues import framework_problems, queue_problems
from stacks.rules.ray_fit import head_capacity_problems, ray_problems, scaling_problems, worker_gpus
from stacks.rules.rdma import nccl_test_problems


class GpuRayStack(GpuStack, RayStack, frozen=True):
    """`nccl_test` has Ray wait for a test of the GPU network."""

    nccl_test: NcclTest | None = None

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The interfaces that a worker sees."""
        return ("eth0", *(it.device for it in self.interfaces))

    @property
    def worker_gpus(self) -> int:
        return worker_gpus(self.ray, self.gpu_machine)

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        kueue = self.kueue if isinstance(self, QueueStack) else None
        yield from queue_problems(kueue, "ray.queue", self.ray.queue, self.namespace)
        if self.ray.queue is not None:
            yield from framework_problems(kueue, "ray", "ray.io/raycluster")
        yield from head_capacity_problems(self.pools)
        if not self.knows_machines:
            return
        if self.gpu_node.accelerators:
            yield from ray_problems(
                self.ray,
                self.gpu_host,
                self.cpu_host,
                sidecar=self.sidecar,
                head_sidecar=self.head_sidecar,
            )
        yield from scaling_problems(self.ray, workers=self.workers, queued=self.queued)
        if self.nccl_test is not None:
            yield from nccl_test_problems(self.gpu_machine, self.workers, queued=self.queued)
