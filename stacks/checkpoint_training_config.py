"""Config of a stack that trains with Ray and keeps its checkpoints in a bucket. No Pulumi."""

from typing import ClassVar, Literal

from stacks.blocks.bucket_stack import BucketStack
from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.image_classifier_job import ImageClassifierJob
from stacks.blocks.standard_stack import StandardStack
from stacks.rules.ray_fit import Host

REQUIRED_SECRETS: tuple[str, ...] = ()


class CheckpointTraining(StandardStack, BucketStack, GpuRayStack, frozen=True):
    """GPU nodes, a bucket that all pods mount, Ray, and a training that goes on after a loss."""

    image: ClassVar[str] = "ray_gpu"

    kind: Literal["checkpoint-training"]
    job: ImageClassifierJob | None = None

    @property
    def head_host(self) -> Host:
        return self.cpu_host

    @property
    def packages(self) -> tuple[str, ...]:
        """What Ray installs on its nodes for the job, pinned."""
        if self.job is None or not self.job.install_torch:
            return ()
        lock = {name: self.facts.component(name).version for name in ("torch", "torchvision")}
        return tuple(f"{name}=={version}" for name, version in lock.items())
