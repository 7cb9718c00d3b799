"""What runs on the cluster by itself: one block for each type of job. No Pulumi import."""

from typing import Annotated, Literal

from pydantic import Field

from stacks.block import Block
from stacks.parts.jobs.fine_tune_job import FineTuneOptions
from stacks.parts.jobs.grpo_job import GrpoOptions
from stacks.parts.jobs.image_classifier_job import ImageClassifierOptions
from stacks.parts.jobs.maxtext_job import MaxTextOptions
from stacks.parts.jobs.script.config import Script
from stacks.parts.jobs.verl_job import VerlOptions
from stacks.types import PoolKey, QueueName, RayClusterName


class OnRay(Block, frozen=True):
    """A job that runs on a RayCluster."""

    ray: RayClusterName | None = None
    """RayCluster that it runs on; by default the only one."""
    storage: str | None = None
    """What of its RayCluster's mounts has the job's data: `lustre` or a bucket."""


class NemoRlJob(GrpoOptions, OnRay, frozen=True):
    """A NeMo RL GRPO training."""

    type: Literal["nemo-rl"]
    """Which job it is."""


class VerlTraining(VerlOptions, OnRay, frozen=True):
    """A verl GRPO training."""

    type: Literal["verl"]
    """Which job it is."""


class MaxTextTraining(MaxTextOptions, OnRay, frozen=True):
    """A MaxText training on TPU slices."""

    type: Literal["maxtext"]
    """Which job it is."""


class ImageClassifierTraining(ImageClassifierOptions, OnRay, frozen=True):
    """A training of an image classifier with Ray Train."""

    type: Literal["image-classifier"]
    """Which job it is."""


class FineTuning(FineTuneOptions, frozen=True):
    """A fine-tuning as a Job of its own, which waits in a queue."""

    type: Literal["fine-tune"]
    """Which job it is."""
    pool: PoolKey | None = None
    """Pool whose nodes it runs on; by default the only one with GPUs."""
    storage: str | None = None
    """Bucket with its checkpoints; by default the only one."""
    queue: QueueName | None = None
    """LocalQueue that admits it; by default the only one of the stack's namespace."""


Training = NemoRlJob | VerlTraining | MaxTextTraining | ImageClassifierTraining
# A script, too, where it names a RayCluster.
RayJob = Training | Script
Job = Annotated[RayJob | FineTuning, Field(discriminator="type")]
