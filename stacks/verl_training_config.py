"""Config of a stack that trains with verl over RDMA, from and to a bucket. No Pulumi import."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from stacks.blocks.bucket import ClaimedBucket, GcsFuseSidecar
from stacks.blocks.bucket_stack import BucketStack
from stacks.blocks.either_mode_stack import EitherModeStack
from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.verl_job import VerlJob
from stacks.problems import Problem
from stacks.rules.boot_disk import boot_disk_problems
from stacks.rules.packing import Amounts
from stacks.rules.rdma import socket_problems
from stacks.rules.verl import verl_problems
from stacks.rules.verl_bucket import folder_problems, preparation_problems

# One large file, or many small ones that are soon done.
_PREPARED_AT_ONCE = 4

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
    def files_at_once(self) -> int:
        """Every GPU's process saves its own part of a checkpoint, all at the same time."""
        return self.worker_gpus if self.knows_machines and self.worker_gpus else 1

    @property
    def preparation_limits(self) -> GcsFuseSidecar:
        return self.limits_for(_PREPARED_AT_ONCE)

    @property
    def code_tree(self) -> str | None:
        """git's id of what that release holds; unknown of another than the version lock's."""
        locked = self.facts.component("verl")
        return locked.tree if self.code_tag == locked.version else None

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        if self.job is not None:
            yield from folder_problems(self.job)
            yield from self._streaming_problems()
        if self.knows_machines:
            yield from self._cpu_node_problems()
        if self.job is not None and self.knows_machines and self.worker_gpus:
            yield from verl_problems(self.job, gpus_per_node=self.worker_gpus, nodes=self.workers)
            yield from socket_problems(self.job.socket_interface, self.worker_devices)

    def _streaming_problems(self) -> Iterator[Problem]:
        if not self.bucket.mount.streaming_writes:
            yield Problem(
                "bucket.mount.streaming_writes",
                "false has every rank write its part of a checkpoint to the sidecar's disk first, "
                "and the pod is evicted; nearest: true",
            )

    def _cpu_node_problems(self) -> Iterator[Problem]:
        """What Ray's head and the preparation share."""
        head = Amounts.of_pod(self.ray.head.requests, 0, self.head_sidecar)
        pool = self.pools.get("cpu_pool")
        pods_mib = head.ephemeral_storage_mib
        preparation = None if self.job is None else self.job.preparation
        if preparation is not None:
            sidecar = self.sidecar_of(self.preparation_limits)
            most = None if pool is None else pool.bounds.max
            yield from preparation_problems(preparation, sidecar, self.cpu_host, head, nodes=most)
            pods_mib += preparation.scratch_gib * 1024 + sidecar.ephemeral_storage_mib
        image_gib = self.facts.image(self.image).unpacked_gib
        if pool is not None and self.ray.image is None and image_gib is not None:
            yield from boot_disk_problems(
                self.cpu_host, pool.disk.size_gb, image_gib=image_gib, pods_mib=pods_mib
            )
