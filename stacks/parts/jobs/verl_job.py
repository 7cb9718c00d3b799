"""A verl GRPO training (options as in verl v0.6.1). Nodes and GPUs are the pool's."""

from typing import Literal

from stacks.block import Block
from stacks.types import (
    BatchSize,
    Coefficient,
    Cpus,
    Epochs,
    GitTag,
    InterfaceName,
    KeptVerlCheckpoints,
    LearningRate,
    MemoryGiB,
    MemoryShare,
    ModelName,
    Parts,
    RayJobName,
    RelativePath,
    Revision,
    Steps,
    StorageGiB,
    Tokens,
)


class Rollout(Block, frozen=True):
    """How samples are generated."""

    samples: BatchSize = 8
    """Samples of a prompt."""
    tensor_parallel: Parts = 8
    """GPUs of one copy of the model, all in one node."""
    gpu_memory_utilization: MemoryShare = 0.6
    """Share of a GPU's memory for vLLM."""
    log_prob_micro_batch_size_per_gpu: BatchSize = 8
    """Samples that a GPU computes probabilities of at once."""


class Actor(Block, frozen=True):
    """How the policy is trained."""

    strategy: Literal["fsdp", "fsdp2"] = "fsdp2"
    """How the weights are spread over GPUs."""
    learning_rate: LearningRate = 1e-5
    """How far a step goes."""
    mini_batch_size: BatchSize = 256
    """Prompts of an update, at most a step's."""
    micro_batch_size_per_gpu: BatchSize = 64
    """Samples that a GPU has at once; divides its share of a mini-batch."""


class Divergence(Block, frozen=True):
    """Keeps the policy near its start."""

    loss: bool = False
    """Add a KL term to the loss. Without it verl ignores the other two."""
    coefficient: Coefficient = 0.001
    """Weight of that term."""
    reference_micro_batch_size_per_gpu: BatchSize = 4
    """Samples that a GPU has at once of the policy at its start."""


class VerlCheckpoints(Block, frozen=True):
    """What is kept of the training."""

    directory: RelativePath = "checkpoints"
    """Folder below the bucket's mount."""
    period: Steps = 10
    """Steps between checkpoints."""
    keep: KeptVerlCheckpoints = 3
    """How many are kept. verl deletes the oldest before it writes the newest, so with one a crash
    could leave none."""


class Preparation(Block, frozen=True):
    """The job that fills the bucket."""

    cpu: Cpus = 2
    """CPUs of the job."""
    memory_gib: MemoryGiB = 8
    """GiB of memory of the job."""
    scratch_gib: StorageGiB = 20
    """GiB of disk, for one file of the model at a time."""

    @property
    def millicores(self) -> int:
        return round(self.cpu * 1000)


class VerlOptions(Block, frozen=True):
    """What verl is told."""

    code_tag: GitTag | None = None
    """verl release; by default the version lock's."""
    model: ModelName = "Qwen/Qwen2.5-32B-Instruct"
    """Model on Hugging Face."""
    revision: Revision | None = None
    """Commit or branch of the model; by default its newest."""
    dataset: Literal["gsm8k"] = "gsm8k"
    """Data set; the only one."""
    epochs: Epochs = 2
    """How often the training goes through the data."""
    train_batch_size: BatchSize = 256
    """Prompts of a step."""
    max_prompt_length: Tokens = 512
    """Most tokens of a prompt."""
    max_response_length: Tokens = 512
    """Most tokens of an answer."""
    rollout: Rollout = Rollout()
    """Generation of samples, by vLLM."""
    actor: Actor = Actor()
    """Training of the policy."""
    divergence: Divergence = Divergence()
    """What keeps the policy near its start."""
    checkpoints: VerlCheckpoints = VerlCheckpoints()
    """What is kept, and where."""
    test_period: Steps = 10
    """Steps between validations."""
    validate_first: bool = False
    """Validate before the first step."""
    socket_interface: InterfaceName = "eth0"
    """Interface for the sockets of NCCL and Gloo; data goes over RDMA."""
    nccl_debug: Literal["WARN", "INFO", "TRACE"] = "INFO"
    """How much NCCL logs."""
    preparation: Preparation | None = Preparation()
    """The job that fills the bucket; with `null` it is filled by hand."""


class VerlJob(VerlOptions, frozen=True):
    name: RayJobName
