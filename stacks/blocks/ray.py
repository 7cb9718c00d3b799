"""The Ray cluster: a head, and one worker on each GPU node."""

from stacks.blocks.block import Block
from stacks.types import Cpus, GiB, Gpus, ImageReference, RayClusterName, RayVersion

# Ray gives its object store, which lies in shared memory, 30% of a container's memory.
_SHM_PERCENT = 30


class Resources(Block, frozen=True):
    cpu: Cpus
    memory_gib: GiB
    ephemeral_storage_gib: GiB | None = None

    @property
    def millicores(self) -> int:
        return round(self.cpu * 1000)


class RayHead(Block, frozen=True):
    """`limits` default to `requests`, `shm_gib` to the share that Ray's object store takes."""

    requests: Resources
    limits: Resources | None = None
    shm_gib: GiB | None = None

    @property
    def ceiling(self) -> Resources:
        return self.limits or self.requests

    @property
    def shared_memory_gib(self) -> int:
        if self.shm_gib is not None:
            return self.shm_gib
        return max(1, self.ceiling.memory_gib * _SHM_PERCENT // 100)


class RayWorker(RayHead, frozen=True):
    """`gpus` defaults to all that the machine has."""

    gpus: Gpus | None = None


class Ray(Block, frozen=True):
    """`name` defaults to the stack's, `version` and `image` to what the version lock has for it.

    `nightly` lets `image` be one that is made anew every night.
    """

    name: RayClusterName | None = None
    version: RayVersion | None = None
    image: ImageReference | None = None
    nightly: bool = False
    head: RayHead
    worker: RayWorker
