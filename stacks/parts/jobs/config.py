"""What runs on the cluster by itself: one block for each type of job. No Pulumi import."""

from typing import Annotated, Literal

from pydantic import Field

from stacks.blocks.block import Block
from stacks.blocks.fine_tune_job import FineTuneOptions
from stacks.blocks.grpo_job import GrpoOptions
from stacks.blocks.image_classifier_job import ImageClassifierOptions
from stacks.blocks.maxtext_job import MaxTextOptions
from stacks.blocks.verl_job import VerlOptions
from stacks.types import PoolKey, QueueName, RayClusterName


class OnRay(Block, frozen=True):
    """`ray` names the RayCluster that the job runs on, by default the only one; `storage` what of
    its mounts has the job's data: `lustre` or a bucket."""

    ray: RayClusterName | None = None
    storage: str | None = None


class NemoRlJob(GrpoOptions, OnRay, frozen=True):
    """A NeMo RL GRPO training."""

    type: Literal["nemo-rl"]


class VerlTraining(VerlOptions, OnRay, frozen=True):
    """A verl GRPO training."""

    type: Literal["verl"]


class MaxTextTraining(MaxTextOptions, OnRay, frozen=True):
    """A MaxText training on TPU slices."""

    type: Literal["maxtext"]


class ImageClassifierTraining(ImageClassifierOptions, OnRay, frozen=True):
    """A training of an image classifier with Ray Train."""

    type: Literal["image-classifier"]


class FineTuning(FineTuneOptions, frozen=True):
    """A fine-tuning as a Job of its own, on nodes of `pool`, by default the only one with GPUs;
    `storage` is the bucket with its checkpoints, by default the only one. It waits in `queue`, by
    default the only one of the stack's namespace."""

    type: Literal["fine-tune"]
    pool: PoolKey | None = None
    storage: str | None = None
    queue: QueueName | None = None


RayJob = NemoRlJob | VerlTraining | MaxTextTraining | ImageClassifierTraining
Job = Annotated[RayJob | FineTuning, Field(discriminator="type")]
