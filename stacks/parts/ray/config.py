"""A RayCluster: a head, and groups of workers on pools. No Pulumi import."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from stacks.blocks.block import Block
from stacks.blocks.nccl_test import NcclTest
from stacks.blocks.ray import RayHead, RayWorker
from stacks.types import (
    ImageReference,
    ObjectName,
    PoolKey,
    QueueName,
    RayVersion,
    Seconds,
    WorkerCount,
)


def _as_tuple(value: Any) -> Any:
    """One name stands for a list of it."""
    return (value,) if isinstance(value, str) else value


class Head(RayHead, frozen=True):
    """On nodes of `pool`, by default the first with CPUs alone."""

    pool: PoolKey | None = None


class Workers(RayWorker, frozen=True):
    """One worker on each node of `pools`, which have machines of one type; by default all that
    have accelerators. Where the cluster scales there are no fewer than `min_workers`."""

    pools: Annotated[tuple[PoolKey, ...], BeforeValidator(_as_tuple)] = ()
    min_workers: WorkerCount = 0


class Scaling(Block, frozen=True):
    """Workers come when jobs ask for them, up to one on each node, and go after `idle_seconds`
    without work."""

    idle_seconds: Seconds = 300


class StackRayCluster(Block, frozen=True):
    """`version` and `image` default to what the version lock has for its job.

    `nightly` lets `image` be one that is made anew every night. `queue` is the LocalQueue that
    admits the cluster. `mounts` are names of buckets, and `lustre`; by default all that the stack
    has. `nccl_test` has Ray wait for a test of the GPU network.
    """

    version: RayVersion | None = None
    image: ImageReference | None = None
    nightly: bool = False
    queue: QueueName | None = None
    autoscaling: Scaling | None = None
    mounts: tuple[str, ...] | None = None
    head: Head
    workers: dict[ObjectName, Workers] = Field(min_length=1)
    nccl_test: NcclTest | None = None
