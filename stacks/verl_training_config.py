"""Config of a stack that trains with verl over RDMA, from and to a bucket. No Pulumi import."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from stacks.blocks.bucket import ClaimedBucket
from stacks.blocks.bucket_stack import BucketStack
from stacks.blocks.either_mode_stack import EitherModeStack
from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.verl_job import VerlJob
from stacks.problems import Problem
from stacks.rules.ray_fit import Host
from stacks.rules.rdma import socket_problems
from stacks.rules.verl import verl_problems

# Neither the model nor the data of the defaults asks for one.
REQUIRED_SECRETS: tuple[str, ...] = ()


class VerlTraining(EitherModeStack, BucketStack, GpuRayStack, frozen=True):
    """GPU nodes with an RDMA network, a bucket that all pods mount, Ray, and a verl training."""

    image: ClassVar[str] = "verl"

    kind: Literal["verl-training"]
    bucket: ClaimedBucket = ClaimedBucket()
    job: VerlJob | None = None

    @property
    def code_tag(self) -> str:
        """The release of verl that the job runs."""
        released = self.facts.component("verl").version
        # The lock has a version for everything that GKE does not choose.
        assert released is not None
        return released if self.job is None or self.job.code_tag is None else self.job.code_tag

    @property
    def head_host(self) -> Host:
        return self.cpu_host

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        if self.job is not None and self.knows_machines and self.worker_gpus:
            yield from verl_problems(self.job, gpus_per_node=self.worker_gpus, nodes=self.workers)
            yield from socket_problems(self.job.socket_interface, self.worker_devices)
