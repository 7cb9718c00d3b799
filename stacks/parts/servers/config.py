"""A server of a model: which, on how many GPUs, how often. No Pulumi import."""

from typing import Literal

from components.servers.engine import InferenceEngine
from stacks.types import (
    Block,
    Cpus,
    Gpus,
    ImageReference,
    MemoryGiB,
    MemoryShare,
    Minutes,
    ModelName,
    ObjectName,
    Parts,
    PodCount,
    PoolKey,
    QueueName,
    RequestCount,
    Resources,
    Revision,
    StorageGiB,
    Tokens,
)


class ServerRequests(Resources, frozen=True):
    """What a server's pod has; a part that is left out is as it is by default."""

    cpu: Cpus = 4
    """CPUs, in thousandths at the finest."""
    memory_gib: MemoryGiB = 30
    """GiB of memory."""
    ephemeral_storage_gib: StorageGiB = 30
    """GiB on the node's own disks."""


class ServerAutoscaling(Block, frozen=True):
    """As many servers as leave few waiting requests to each."""

    min: PodCount = 1
    """Fewest servers."""
    max: PodCount
    """Most servers; what does not fit the nodes waits."""
    target_queue_size: RequestCount = 5
    """Waiting requests that each is left."""


class ModelServer(Block, frozen=True):
    """Servers of one model."""

    image: ImageReference | None = None
    """Image with a fixed tag or digest; by default the version lock's."""
    model: ModelName = "google/gemma-2-9b-it"
    """Model on Hugging Face."""
    revision: Revision | None = None
    """Commit or branch of the model; by default its newest."""
    replicas: PodCount | None = None
    """How many servers; by default 1."""
    autoscaling: ServerAutoscaling | None = None
    """Servers by the requests that wait, in place of `replicas`."""
    gpus: Gpus = 2
    """GPUs of a server, all in one node."""
    shards: Parts | None = None
    """Parts of the model; by default one a GPU."""
    requests: ServerRequests = ServerRequests()
    """What a server's pod asks for, which is also its limit."""
    shm_gib: MemoryGiB = 1
    """GiB of /dev/shm, part of the memory."""
    priority: ObjectName | None = None
    """One of the queues' priority classes."""
    queue: QueueName | None = None
    """LocalQueue that admits the servers."""
    workload_priority: ObjectName | None = None
    """Priority in the queue, before `priority`."""
    minutes: Minutes = 30
    """Minutes that a server may take to be ready."""
    rollout: Literal["surge", "in-place"] | None = None
    """How a changed server comes: beside the old one, or after it. By default in place in a queue
    or a full pool."""
    engine: InferenceEngine = InferenceEngine.VLLM
    """Which program serves the model."""
    pool: PoolKey | None = None
    """Pool whose nodes the servers run on; by default the only one with GPUs."""
    max_model_len: Tokens | None = None
    """Most tokens of a request and its answer; only for vLLM."""
    gpu_memory_utilization: MemoryShare | None = None
    """vLLM's part of each GPU's memory; only for vLLM."""
    api_key: bool = False
    """Answer only clients that bring the key of the secret `model_server_key`."""

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
