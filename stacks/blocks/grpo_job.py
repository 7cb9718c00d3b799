"""A NeMo RL GRPO training (options as in NeMo RL v0.4.0). Nodes and GPUs are the pool's."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator

from stacks.blocks.block import Block
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
    """`directory` is below the Lustre mount. Without a `metric` the latest `keep` are kept."""

    directory: RelativePath
    period: Steps = 10
    keep: KeptCheckpoints = 3
    metric: Annotated[str, AfterValidator(_metric)] | None = None


class Parallelism(Block, frozen=True):
    """How one copy of the model is cut up; the defaults are those of the 70B recipe."""

    tensor: Parts = 4
    pipeline: Parts = 4

    @property
    def gpus_per_copy(self) -> int:
        return self.tensor * self.pipeline


class GrpoOptions(Block, frozen=True):
    """`converter` names the architecture for Megatron's checkpoint conversion."""

    recipe: RelativePath = "examples/configs/grpo_math_70B_megatron.yaml"
    model: ModelName
    converter: Architecture
    dataset: Literal["DeepScaler", "OpenMathInstruct-2", "DAPOMath17K"]
    max_steps: Steps
    prompts_per_step: BatchSize
    generations_per_prompt: BatchSize
    train_global_batch_size: BatchSize
    parallelism: Parallelism = Parallelism()
    checkpoints: Checkpoints
    hugging_face_cache: RelativePath = "huggingface_cache"
    socket_interface: InterfaceName = "eth0"
    wandb: bool = False


class GrpoJob(GrpoOptions, frozen=True):
    name: RayJobName
