"""The Ray cluster: a head, and workers on the nodes with accelerators."""

from typing import Annotated

from pydantic import BeforeValidator

from stacks.block import Block
from stacks.parts.cluster.ray_operator import RayOperator, one_operator
from stacks.resources import Resources
from stacks.types import (
    Gpus,
    ImageReference,
    MemoryGiB,
    QueueName,
    RayClusterName,
    RayVersion,
    Seconds,
    WorkerCount,
)

# Ray gives its object store, which lies in shared memory, 30% of a container's memory.
_SHM_PERCENT = 30


class RayHead(Block, frozen=True):
    """What a pod of Ray's asks for."""

    requests: Resources
    """What the pod asks for."""
    limits: Resources | None = None
    """Most that the pod may use; by default what it asks for."""
    shm_gib: MemoryGiB | None = None
    """GiB of /dev/shm; by default the share of the memory that Ray's object store takes."""

    @property
    def ceiling(self) -> Resources:
        return self.limits or self.requests

    @property
    def shared_memory_gib(self) -> int:
        if self.shm_gib is not None:
            return self.shm_gib
        return max(1, self.ceiling.memory_gib * _SHM_PERCENT // 100)


class RayWorker(RayHead, frozen=True):
    """What a worker asks for."""

    gpus: Gpus | None = None
    """GPUs of a worker; by default all that the machine has."""


class RayScaling(Block, frozen=True):
    """Workers come when jobs ask for them, up to one on each node with accelerators, and go after
    `idle_seconds` without work, down to `min_workers`."""

    min_workers: WorkerCount = 0
    idle_seconds: Seconds = 300


class Ray(Block, frozen=True):
    """`name` defaults to the stack's, `version` and `image` to what the version lock has for it.

    `nightly` lets `image` be one that is made anew every night. Without `autoscaling` there is a
    worker on each node with accelerators. `queue` is the LocalQueue that admits the cluster.
    """

    name: RayClusterName | None = None
    version: RayVersion | None = None
    image: ImageReference | None = None
    nightly: bool = False
    operator: Annotated[RayOperator, BeforeValidator(one_operator)] = RayOperator.ADDON
    queue: QueueName | None = None
    autoscaling: RayScaling | None = None
    head: RayHead
    worker: RayWorker
