"""A server that generates text: which model, on how many GPUs, how often."""

from stacks.blocks.block import Block
from stacks.blocks.ray import Resources
from stacks.types import (
    Gpus,
    ImageReference,
    MemoryGiB,
    Minutes,
    ModelName,
    ObjectName,
    Parts,
    PodCount,
    QueueName,
    RequestCount,
)


class ServerAutoscaling(Block, frozen=True):
    """As many servers as leave `target_queue_size` waiting requests to each."""

    min: PodCount = 1
    max: PodCount
    target_queue_size: RequestCount = 5


class ServerOptions(Block, frozen=True):
    """`replicas` servers, 1 by default, or as many as `autoscaling` finds right.

    `image` defaults to what the version lock has, `shards`, the parts of the model, to one on each
    of the `gpus`. `shm_gib` is part of the memory. `priority` is a priority class and `queue` a
    LocalQueue, in which a `workload_priority` goes before it. `minutes` is how long a server may
    take to be ready.
    """

    image: ImageReference | None = None
    model: ModelName = "google/gemma-2-9b-it"
    replicas: PodCount | None = None
    autoscaling: ServerAutoscaling | None = None
    gpus: Gpus = 2
    shards: Parts | None = None
    requests: Resources = Resources(cpu=4, memory_gib=30, ephemeral_storage_gib=30)
    shm_gib: MemoryGiB = 1
    priority: ObjectName | None = None
    queue: QueueName | None = None
    workload_priority: ObjectName | None = None
    minutes: Minutes = 30

    @property
    def least(self) -> int:
        """How many servers there always are."""
        if self.autoscaling is not None:
            return self.autoscaling.min
        return 1 if self.replicas is None else self.replicas

    @property
    def most(self) -> int:
        """How many servers there may be."""
        return self.least if self.autoscaling is None else self.autoscaling.max

    @property
    def model_shards(self) -> int:
        return self.gpus if self.shards is None else self.shards


class InferenceServer(ServerOptions, frozen=True):
    name: ObjectName
