"""A RayCluster: a head, and groups of workers on pools. No Pulumi import."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from stacks.secret_references import NamedSecret, SecretReference, named_secret
from stacks.types import (
    Block,
    GigabytesPerSecond,
    Gpus,
    GroupName,
    ImageReference,
    MemoryGiB,
    PoolKey,
    QueueName,
    RayVersion,
    Resources,
    Seconds,
    WorkerCount,
)

# Ray gives its object store, which lies in shared memory, 30% of a container's memory.
_SHM_PERCENT = 30


def _as_tuple(value: Any) -> Any:
    """One name stands for a list of it."""
    return (value,) if isinstance(value, str) else value


class PodSizes(Block, frozen=True):
    """What a pod asks for, and the most that it gets."""

    requests: Resources
    """What the pod asks for."""
    limits: Resources | None = None
    """Most that the pod may use; by default what it asks for."""
    shm_gib: MemoryGiB | None = None
    """GiB of /dev/shm; by default for Ray's object store."""

    @property
    def ceiling(self) -> Resources:
        return self.limits or self.requests

    @property
    def shared_memory_gib(self) -> int:
        if self.shm_gib is not None:
            return self.shm_gib
        return max(1, self.ceiling.memory_gib * _SHM_PERCENT // 100)


class Head(PodSizes, frozen=True):
    """Ray's head."""

    pool: PoolKey | None = None
    """Pool whose nodes it runs on; by default the first with CPUs alone."""
    redis: bool = False
    """Keep what the head knows in the stack's `redis`, so that workers outlive their head."""


class Workers(PodSizes, frozen=True):
    """A group of workers, one on each node."""

    gpus: Gpus | None = None
    """GPUs of a worker; by default all that the machine has."""
    pools: Annotated[
        tuple[PoolKey, ...],
        BeforeValidator(_as_tuple, json_schema_input_type=PoolKey | tuple[PoolKey, ...]),
    ] = ()
    """Pools of one machine type; by default all that have accelerators."""
    min_workers: WorkerCount = 0
    """Fewest workers, where the cluster scales."""


class Scaling(Block, frozen=True):
    """Workers come when jobs ask for them, up to one on each node, and go when idle."""

    idle_seconds: Seconds = 300
    """Seconds without work after which a worker goes."""


class NcclTest(Block, frozen=True):
    """An all-reduce and an all-gather over all GPUs of a training, before the training starts and
    again on other machines.

    Google's own sample runs of an all-gather show 344 gigabytes a second on A4 and 330 on A3 Ultra.
    """

    minimum_bus_bandwidth_gbps: GigabytesPerSecond = 0
    """Gigabytes a second below which it fails."""


class StackRayCluster(Block, frozen=True):
    """A RayCluster."""

    version: RayVersion | None = None
    """Ray version of `image`; by default the version lock's."""
    image: ImageReference | None = None
    """Image with a fixed tag or digest; by default the version lock's."""
    nightly: bool = False
    """Let `image` be one that is made anew every night."""
    queue: QueueName | None = None
    """LocalQueue that admits the cluster as a whole."""
    autoscaling: Scaling | None = None
    """Workers come and go; by default one on each node stays."""
    mounts: tuple[str, ...] | None = None
    """Names of buckets, and `lustre`; by default all that the stack has."""
    secrets: tuple[SecretReference, ...] = ()
    """Secrets of its namespace, made by others, as variables: `NAME`, `NAME=KEY` or
    `NAME=KEY:VARIABLE`."""
    head: Head
    """Where Ray's head runs, and with what."""
    workers: dict[GroupName, Workers] = Field(min_length=1)
    """Groups of workers, by a name of yours."""
    nccl_test: NcclTest | None = None
    """Test the GPU network before a training that takes all GPUs starts."""

    @property
    def named_secrets(self) -> list[NamedSecret]:
        return [named_secret(it) for it in self.secrets]
