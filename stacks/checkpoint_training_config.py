"""Config of a stack that trains with Ray and keeps its checkpoints in a bucket. No Pulumi."""

from typing import Literal

from stacks.blocks.image_classifier_job import ImageClassifierJob
from stacks.blocks.ray_on_bucket_stack import RayOnBucketStack

REQUIRED_SECRETS: tuple[str, ...] = ()


class CheckpointTraining(RayOnBucketStack, frozen=True):
    """GPU nodes, a bucket that all pods mount, Ray, and a training that goes on after a loss."""

    kind: Literal["checkpoint-training"]
    job: ImageClassifierJob | None = None

    @property
    def written_gib(self) -> int:
        """Ray installs packages on the disk of the node that asks for them, the head's too."""
        names = [it.partition("==")[0] for it in self.packages]
        return super().written_gib + sum(self.facts.component(it).disk_gib or 0 for it in names)

    @property
    def packages(self) -> tuple[str, ...]:
        """What Ray installs on its nodes for the job, pinned."""
        if self.job is None or not self.job.install_torch:
            return ()
        lock = {name: self.facts.component(name).version for name in ("torch", "torchvision")}
        return tuple(f"{name}=={version}" for name, version in lock.items())
