"""A NeMo RL GRPO training (options as in NeMo RL v0.4.0). Nodes and GPUs are the pool's."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator

from stacks.block import Block
from stacks.types import (
    Architecture,
    BatchSize,
    InterfaceName,
    KeptCheckpoints,
    ModelName,
    Parts,
    RayJobName,
    RelativePath,
    Steps,
)

_METRIC = re.compile(r"(val|train):[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}")


def _metric(value: str) -> str:
    if not value.startswith(("val:", "train:")):
        raise ValueError(f'"{value}" does not say of which phase it is; nearest: val:{value}')
    if not _METRIC.fullmatch(value):
        raise ValueError("that is not the name of a metric; nearest: one like val:accuracy")
    return value


class Checkpoints(Block, frozen=True):
    """What is kept of the training."""

    directory: RelativePath
    """Folder below the mount of the job's storage."""
    period: Steps = 10
    """Steps between checkpoints."""
    keep: KeptCheckpoints = 3
    """How many checkpoints are kept."""
    metric: Annotated[str, AfterValidator(_metric)] | None = None
    """Keep the best by this metric, `val:NAME` or `train:NAME`; by default the latest are kept."""


class Parallelism(Block, frozen=True):
    """How one copy of the model is cut up; the defaults are those of the 70B recipe."""

    tensor: Parts = 4
    """GPUs that share each layer."""
    pipeline: Parts = 4
    """Stages that the layers are divided into."""

    @property
    def gpus_per_copy(self) -> int:
        return self.tensor * self.pipeline


class GrpoOptions(Block, frozen=True):
    """What NeMo RL is told."""

    recipe: RelativePath = "examples/configs/grpo_math_70B_megatron.yaml"
    """Base config inside the image."""
    model: ModelName
    """Model on Hugging Face."""
    converter: Architecture
    """Architecture of the model, for Megatron's checkpoint conversion."""
    dataset: Literal["DeepScaler", "OpenMathInstruct-2", "DAPOMath17K"]
    """Data set, by NeMo RL's name."""
    max_steps: Steps
    """Steps of the training."""
    prompts_per_step: BatchSize
    """Prompts of a step."""
    generations_per_prompt: BatchSize
    """Answers that are generated to each prompt."""
    train_global_batch_size: BatchSize
    """Answers that make one update; divides those of a step."""
    parallelism: Parallelism = Parallelism()
    """How one copy of the model is cut up."""
    checkpoints: Checkpoints
    """What is kept, and where."""
    hugging_face_cache: RelativePath = "huggingface_cache"
    """Folder for what is downloaded, below the mount of the job's storage."""
    socket_interface: InterfaceName = "eth0"
    """Interface for the sockets of NCCL and Gloo; data goes over RDMA."""
    wandb: bool = False
    """Log to Weights & Biases, with the secret `wandb_api_key`."""


class GrpoJob(GrpoOptions, frozen=True):
    name: RayJobName
