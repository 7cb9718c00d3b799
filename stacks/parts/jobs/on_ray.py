"""A job on a RayCluster: what it asks of the cluster, and what it runs there. No Pulumi import."""

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stacks.parts.jobs.checkpoint_layout import Written
from stacks.types import Block, RayClusterName, Retries

WORKLOADS = Path(__file__).parents[3] / "workloads"
# Lines of the log as they come.
UNBUFFERED = {"PYTHONUNBUFFERED": "1"}
# What Ray writes of logs to a pod's disk.
LOGS_GIB = 1


class OnRay(Block, frozen=True):
    """A job that runs on a RayCluster."""

    ray: RayClusterName | None = None
    """RayCluster that it runs on; by default the only one."""
    storage: str | None = None
    """Mount with the job's data: `lustre` or a bucket."""
    retries: Retries = 0
    """Runs after a failure, each from the last checkpoint."""

    @property
    def runs_again(self) -> int:
        """How often it runs again after it failed, as the config says or by default."""
        return self.retries

    @property
    def after_loss(self) -> str:
        """What it does when a machine under it has gone."""
        return "waits for all of them, and goes on from its last checkpoint"

    @abstractmethod
    def resumes(self, name: str, mount_path: str) -> Written:
        """From where the job `name` goes on that is made anew, its data at `mount_path`."""


@dataclass(frozen=True, kw_only=True)
class RayDemands:
    """`image` is what the version lock calls the image. Where each GPU's process writes its own
    part of a checkpoint, it does so in `files_per_gpu` at once. `packages` are what Ray installs,
    pinned, and `written_gib` is known to be written to a node's disk.

    Where `head_is_enough` the job waits for its workers itself. `head_runs_nothing` keeps the job's
    own processes off the head. `scratch` are directories on nodes' own disks, of the head and of
    the workers.
    """

    image: str
    files_per_gpu: int = 0
    packages: tuple[str, ...] = ()
    written_gib: int = LOGS_GIB
    head_is_enough: bool = False
    head_runs_nothing: bool = False
    scratch: tuple[str | None, str | None] = (None, None)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the training `name` runs: so many `workers`, with `gpus` each, its data at `mount_path`
    and Ray's `packages` there.

    `nccl` are variables of the machine family. There is a key of Weights & Biases with `wandb`.
    """

    name: str
    mount_path: str
    workers: int
    gpus: int
    nccl: Mapping[str, str]
    packages: tuple[str, ...]
    wandb: bool


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a job runs on a RayCluster: a launcher with parameters, and what it finds there.

    A job that takes all of `gpus` waits for them, and is run again when a machine under it goes,
    while it makes progress by `checkpoints`, the part of their paths before the number; any job
    `retries` times after another failure.
    """

    name: str
    launcher_name: str
    launcher: str
    parameters: dict[str, str]
    environment: dict[str, str]
    files: dict[str, str] = field(default_factory=dict[str, str])
    packages: Sequence[str] = ()
    gpus: int | None = None
    checkpoints: str | None = None
    retries: int = 0

    def runtime_environment(self) -> str:
        """For a submission by hand, as JSON."""
        packages = {"pip": list(self.packages)} if self.packages else {}
        return json.dumps({"env_vars": self.environment, **packages})


def workload(path: str) -> str:
    """The text of one of the files below `workloads`."""
    return (WORKLOADS / path).read_text(encoding="utf-8")
