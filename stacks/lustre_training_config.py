"""Config of a stack that trains on GPUs with Managed Lustre. No Pulumi import."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.grpo_job import GrpoJob
from stacks.blocks.lustre import Lustre
from stacks.blocks.network import PeeredNetwork
from stacks.blocks.standard_stack import StandardStack
from stacks.problems import Problem
from stacks.rules.boot_disk import boot_disk_problems
from stacks.rules.mount_paths import mount_path_problems
from stacks.rules.rdma import socket_problems
from stacks.rules.storage import lustre_problems
from stacks.rules.training import grpo_problems

REQUIRED_SECRETS = ("hugging_face_token",)


class LustreTraining(StandardStack, GpuRayStack, frozen=True):
    """GPU nodes, a Managed Lustre instance in their zone, Ray on both, and a training job."""

    image: ClassVar[str] = "nemo_rl"

    kind: Literal["lustre-training"]
    network: PeeredNetwork = PeeredNetwork()
    lustre: Lustre
    job: GrpoJob | None = None

    @property
    def lustre_legacy_port(self) -> bool:
        """Whether the version asked for has nodes that speak to Lustre on the older port; then the
        instance and the firewall are on it, too."""
        version = self.gke_version
        minimum = self.facts.feature("lustre_default_port").minimum_gke
        return version is not None and not version.meets(minimum)

    def features(self) -> tuple[str, ...]:
        return (*super().features(), "lustre_csi")

    def rules(self) -> Iterator[Problem]:
        broken = tuple(super().rules())
        yield from broken
        # A zone that is wrong already needs no second suggestion.
        zone = None if any(one.field == "zone" for one in broken) else self.zone
        yield from lustre_problems(self.facts, zone, self.lustre)
        path = self.lustre.mount_path
        yield from mount_path_problems("lustre.mount_path", path, nearest="/lustre")
        if self.knows_machines:
            yield from self._boot_disk_problems()
        if self.job is not None and self.knows_machines:
            yield from socket_problems(self.job.socket_interface, self.worker_devices)
            gpus = self.workers * self.worker_gpus
            if gpus:
                yield from grpo_problems(
                    self.job, gpus, wandb_key="wandb_api_key" in self.secrets_set
                )

    def _boot_disk_problems(self) -> Iterator[Problem]:
        """Of Ray's head, and of its workers where their machines have no local SSDs."""
        image_gib = self.facts.image(self.image).unpacked_gib
        # Nothing is known of another image.
        if self.ray.image is not None or image_gib is None:
            return
        for field, pool in self.pools.items():
            pod = self.ray.head if field == "cpu_pool" else self.ray.worker
            yield from boot_disk_problems(
                self.host_of(pool),
                pool.disk.size_gb,
                image_gib=image_gib,
                pods_mib=(pod.ceiling.ephemeral_storage_gib or 0) * 1024,
                field=field,
            )
