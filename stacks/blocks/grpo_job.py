"""A NeMo RL GRPO training (options as in NeMo RL v0.4.0). Nodes and GPUs are the pool's."""

from typing import Annotated, Literal

from pydantic import AfterValidator, PositiveInt

from stacks.blocks.block import Block
from stacks.types import Architecture, InterfaceName, ModelName, RayJobName, RelativePath


def _metric(value: str) -> str:
    if not value.startswith(("val:", "train:")):
        raise ValueError(f'"{value}" does not say of which phase it is; nearest: val:{value}')
    return value


class Checkpoints(Block, frozen=True):
    """`directory` is below the Lustre mount. Without a `metric` the latest `keep` are kept."""

    directory: RelativePath
    period: PositiveInt = 10
    keep: PositiveInt = 3
    metric: Annotated[str, AfterValidator(_metric)] | None = None


class Parallelism(Block, frozen=True):
    """How one copy of the model is cut up; the defaults are those of the 70B recipe."""

    tensor: PositiveInt = 4
    pipeline: PositiveInt = 4

    @property
    def gpus_per_copy(self) -> int:
        return self.tensor * self.pipeline


class GrpoJob(Block, frozen=True):
    """`converter` names the architecture for Megatron's checkpoint conversion."""

    name: RayJobName
    recipe: RelativePath = "examples/configs/grpo_math_70B_megatron.yaml"
    model: ModelName
    converter: Architecture
    dataset: Literal["DeepScaler", "OpenMathInstruct-2", "DAPOMath17K"]
    max_steps: PositiveInt
    prompts_per_step: PositiveInt
    generations_per_prompt: PositiveInt
    train_global_batch_size: PositiveInt
    parallelism: Parallelism = Parallelism()
    checkpoints: Checkpoints
    hugging_face_cache: RelativePath = "huggingface_cache"
    socket_interface: InterfaceName = "eth0"
    wandb: bool = False
