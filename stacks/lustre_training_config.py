"""Config of a stack that trains on GPUs with Managed Lustre. No Pulumi import."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.grpo_job import GrpoJob
from stacks.blocks.lustre import Lustre
from stacks.blocks.network import PeeredNetwork
from stacks.blocks.standard_stack import StandardStack
from stacks.problems import Problem
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
        """Whether the version asked for still has nodes on Lustre's older port."""
        version = self.cluster.version
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
        if self.job is not None and self.knows_machines:
            yield from socket_problems(self.job.socket_interface, self.worker_devices)
            gpus = self.workers * self.worker_gpus
            if gpus:
                yield from grpo_problems(
                    self.job, gpus, wandb_key="wandb_api_key" in self.secrets_set
                )
