"""A verl GRPO training (options as in verl v0.6.1). Nodes and GPUs are the pool's."""

from typing import Literal

from stacks.blocks.block import Block
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
    """How samples are generated: `samples` a prompt, a model copy on `tensor_parallel` GPUs."""

    samples: BatchSize = 8
    tensor_parallel: Parts = 8
    gpu_memory_utilization: MemoryShare = 0.6
    log_prob_micro_batch_size_per_gpu: BatchSize = 8


class Actor(Block, frozen=True):
    """How the policy is trained."""

    strategy: Literal["fsdp", "fsdp2"] = "fsdp2"
    learning_rate: LearningRate = 1e-5
    mini_batch_size: BatchSize = 256
    micro_batch_size_per_gpu: BatchSize = 64


class Divergence(Block, frozen=True):
    """Keeps the policy near its start. verl ignores both numbers unless `loss` is true."""

    loss: bool = False
    coefficient: Coefficient = 0.001
    reference_micro_batch_size_per_gpu: BatchSize = 4


class VerlCheckpoints(Block, frozen=True):
    """`directory` is below the bucket's mount, `period` in steps.

    verl deletes the oldest before it writes the newest, so with one a crash could leave none.
    """

    directory: RelativePath = "checkpoints"
    period: Steps = 10
    keep: KeptVerlCheckpoints = 3


class Preparation(Block, frozen=True):
    """The job that fills the bucket; `scratch_gib` holds one file of the model at a time."""

    cpu: Cpus = 2
    memory_gib: MemoryGiB = 8
    scratch_gib: StorageGiB = 20

    @property
    def millicores(self) -> int:
        return round(self.cpu * 1000)


class VerlOptions(Block, frozen=True):
    """`code_tag` defaults to the release in the version lock, `revision` to the model's newest.

    Without `preparation` the bucket is filled by hand.
    """

    code_tag: GitTag | None = None
    model: ModelName = "Qwen/Qwen2.5-32B-Instruct"
    revision: Revision | None = None
    dataset: Literal["gsm8k"] = "gsm8k"
    epochs: Epochs = 2
    train_batch_size: BatchSize = 256
    max_prompt_length: Tokens = 512
    max_response_length: Tokens = 512
    rollout: Rollout = Rollout()
    actor: Actor = Actor()
    divergence: Divergence = Divergence()
    checkpoints: VerlCheckpoints = VerlCheckpoints()
    test_period: Steps = 10
    validate_first: bool = False
    socket_interface: InterfaceName = "eth0"
    nccl_debug: Literal["WARN", "INFO", "TRACE"] = "INFO"
    preparation: Preparation | None = Preparation()


class VerlJob(VerlOptions, frozen=True):
    name: RayJobName
