"""A NeMo RL GRPO training (options as in NeMo RL v0.4.0). Nodes and GPUs are the pool's. No Pulumi
import."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator

from catalog import Catalog
from stacks.parts.jobs.checkpoint_layout import CheckpointLayout, Written
from stacks.parts.jobs.on_ray import OnRay, Place, RayDemands, Work, workload
from stacks.types import (
    Architecture,
    BatchSize,
    Block,
    InterfaceName,
    KeptCheckpoints,
    ModelName,
    Parts,
    RelativePath,
    Steps,
)

LAUNCHER_NAME = "nemo_rl_grpo.sh"
# It is written under another name and renamed when whole; one of the same step is put aside, and a
# restart takes the highest step, whatever its metric (NVIDIA-NeMo/RL nemo_rl/utils/checkpoint.py
# and nemo_rl/algorithms/grpo.py:232, v0.4.0, c751f811).
CHECKPOINTS = CheckpointLayout(
    launcher=LAUNCHER_NAME,
    folder="{checkpointing.checkpoint_dir}",
    key="checkpoints.directory",
    name=r"step_(\d+)",
    unfinished=r"(?:tmp|old)_step_(\d+)",
)
# Each rank saves its part of a checkpoint by two processes, a file each (NVIDIA/Megatron-LM
# megatron/core/dist_checkpointing/strategies/torch.py, TorchDistSaveShardedStrategy, 00caa53a; NeMo
# RL has all ranks save: NVIDIA-NeMo/RL nemo_rl/models/policy/megatron_policy_worker.py). Recipes
# with DTensor have one file a rank.
_MEGATRON_FILES = 2
_METRIC = re.compile(r"(val|train):[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}")


def _metric(value: str) -> str:
    if not value.startswith(("val:", "train:")):
        raise ValueError(f'"{value}" does not say of which phase it is; nearest: val:{value}')
    if not _METRIC.fullmatch(value):
        raise ValueError(f'"{value}" is not the name of a metric; nearest: one like val:accuracy')
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
    """Keep the best by `val:NAME` or `train:NAME`; by default the latest."""


class Parallelism(Block, frozen=True):
    """How one copy of the model is cut up; the defaults are those of the 70B recipe."""

    tensor: Parts = 4
    """GPUs that share each layer."""
    pipeline: Parts = 4
    """Stages that the layers are divided into."""

    @property
    def gpus_per_copy(self) -> int:
        return self.tensor * self.pipeline


class NemoRlJob(OnRay, frozen=True):
    """A NeMo RL GRPO training."""

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
    type: Literal["nemo-rl"]
    """Which job it is."""

    def resumes(self, name: str, mount_path: str) -> Written:
        return CHECKPOINTS.resumes(self._place(mount_path), f"{self.checkpoints.period} steps")

    def demands(self, facts: Catalog) -> RayDemands:
        return RayDemands(image="nemo_rl", files_per_gpu=_MEGATRON_FILES)

    def work(self, at: Place) -> Work:
        return Work(
            name=at.name,
            launcher_name=LAUNCHER_NAME,
            launcher=workload(f"nemo_rl/{LAUNCHER_NAME}"),
            parameters=self._parameters(at),
            # Of every process of the job; tokens are in the pods' own environment. NeMo RL has the
            # driver's in place of the workers' (NVIDIA-NeMo/RL nemo_rl/distributed/
            # virtual_cluster.py, init_ray, v0.4.0, 2026-11-26).
            environment={
                **at.nccl,
                "HF_HOME": f"{at.mount_path}/{self.hugging_face_cache}",
                "GLOO_SOCKET_IFNAME": self.socket_interface,
                "NCCL_SOCKET_IFNAME": self.socket_interface,
            },
            gpus=at.workers * at.gpus,
            checkpoints=CHECKPOINTS.prefix(self._place(at.mount_path)),
        )

    def _parameters(self, at: Place) -> dict[str, str]:
        """The launcher's own (recipe, mkdir, fetch), and NeMo RL v0.4.0's overrides by their
        names."""
        place = self._place(at.mount_path)
        checkpoints = CHECKPOINTS.at(place)
        return {
            "recipe": self.recipe,
            "mkdir": f"{at.mount_path}/{self.hugging_face_cache}:{checkpoints}",
            # 64 ranks at once would each ask Hugging Face for it.
            "fetch": self.model,
            "policy.model_name": self.model,
            "policy.megatron_cfg.converter_type": self.converter,
            "policy.megatron_cfg.tensor_model_parallel_size": str(self.parallelism.tensor),
            "policy.megatron_cfg.pipeline_model_parallel_size": str(self.parallelism.pipeline),
            "policy.train_global_batch_size": str(self.train_global_batch_size),
            "grpo.max_num_steps": str(self.max_steps),
            "grpo.num_prompts_per_step": str(self.prompts_per_step),
            "grpo.num_generations_per_prompt": str(self.generations_per_prompt),
            "cluster.num_nodes": str(at.workers),
            "cluster.gpus_per_node": str(at.gpus),
            "checkpointing.enabled": "true",
            "checkpointing.save_period": str(self.checkpoints.period),
            "checkpointing.keep_top_k": str(self.checkpoints.keep),
            # Not in the recipe's own form: null keeps the latest instead of the best.
            "checkpointing.metric_name": self.checkpoints.metric or "null",
            **place,
            "data.dataset_name": self.dataset,
            # The recipe's is relative: a folder of the head's container, which goes with it
            # (NVIDIA-NeMo/RL examples/configs/grpo_math_1B.yaml, v0.4.0, c751f811, 2026-11-22).
            "logger.log_dir": f"{checkpoints}/logs",
            "logger.wandb_enabled": str(self.wandb).lower(),
            "logger.wandb.name": at.name,
        }

    def _place(self, mount_path: str) -> dict[str, str]:
        return {"checkpointing.checkpoint_dir": f"{mount_path}/{self.checkpoints.directory}"}
