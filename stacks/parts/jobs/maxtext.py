"""A MaxText training (options as in MaxText 0.2.5). Slices and hosts are the pools'. No Pulumi
import."""

from collections.abc import Sequence
from typing import Literal

from catalog import Catalog, Topology
from catalog.table import load_table
from catalog.topologies import TopologyTable
from components.ray.manifest import LAUNCHER_DIR
from stacks.parts.jobs.checkpoint_layout import CheckpointLayout, Written
from stacks.parts.jobs.on_ray import (
    UNBUFFERED,
    OnRay,
    Place,
    RayDemands,
    Work,
    workload,
)
from stacks.parts.pools.config import LibtpuFlag
from stacks.types import (
    BatchSize,
    Block,
    Factor,
    KeptCheckpoints,
    Losses,
    PodCount,
    RelativePath,
    Retries,
    RunName,
    Steps,
    Tokens,
)

TRAINER_NAME = "maxtext_trainer.py"
# Orbax gives a step's folder its plain number when the whole of it is written (google/orbax
# checkpoint/orbax/checkpoint/_src/path/atomicity.py, 3ff7b24a); MaxText adds `checkpoints` (maxtext
# 0.2.5, configs/types.py:4214).
CHECKPOINTS = CheckpointLayout(
    launcher=TRAINER_NAME,
    folder="{base_output_directory}/{run_name}/checkpoints",
    key="run_name",
    name=r"(\d+)",
    unfinished=r"(\d+)\.orbax-checkpoint-tmp.*",
)
_SLICES = "slices"
# Of an elastic job whose config names no number: a checkpoint is there each time, and on spot
# machines losses are the rule.
_ELASTIC_RETRIES = 3
# Steps between checkpoints, where the config names no number: a tenth of the training, no fewer
# than a bucket needs to take a checkpoint of 8B in, and no more than a loss may cost. MaxText's own
# default is 10,000 (maxtext 0.2.5, configs/base.yml:58).
_LEAST_PERIOD, _MOST_PERIOD = 25, 250


class SliceParallelism(Block, frozen=True):
    """How the model is cut up over the chips of a slice; the product is their number."""

    fsdp: Factor = -1
    """Parts that the weights are kept in; -1 is what the others leave."""
    tensor: Factor = 1
    """Chips that share each layer; -1 is what the others leave."""
    data: Factor = 1
    """Copies of the model; -1 is what the others leave."""

    def factors(self) -> dict[str, int]:
        return {"fsdp": self.fsdp, "tensor": self.tensor, "data": self.data}


class DcnParallelism(Block, frozen=True):
    """How it is cut up between slices; the product is their number."""

    data: Factor = -1
    """Copies of the model; -1 is what the others leave."""
    fsdp: Factor = 1
    """Parts that the weights are kept in; -1 is what the others leave."""

    def factors(self) -> dict[str, int]:
        return {"data": self.data, "fsdp": self.fsdp}


class Elastic(Block, frozen=True):
    """The job goes on when slices are taken away."""

    min_slices: PodCount = 1
    """Fewest slices to go on with."""
    max_failures: Losses = 3
    """Losses of slices that one run survives; -1 is any number."""


class MaxTextTraining(OnRay, frozen=True):
    """A MaxText training on TPU slices."""

    run_name: RunName | None = None
    """Folder of the run's checkpoints, by default the job's name."""
    finished_runs: tuple[RunName, ...] = ()
    """Names that have been used up."""
    directory: RelativePath | None = None
    """Folder for runs below the mount of the job's storage; by default its top."""
    model: Literal["llama3-8b", "llama3-70b", "llama3.1-8b", "llama3.1-70b", "llama3.3-70b"]
    """Model, by MaxText's name."""
    dataset: Literal["synthetic"] = "synthetic"
    """What it is trained on; the only one."""
    steps: Steps = 100
    """Steps of the training."""
    per_device_batch_size: BatchSize = 4
    """Sequences of a chip's batch."""
    max_target_length: Tokens = 4096
    """Tokens of a sequence."""
    ici: SliceParallelism = SliceParallelism()
    """How the model is cut up over the chips of a slice."""
    dcn: DcnParallelism = DcnParallelism()
    """How it is cut up between slices."""
    remat_policy: Literal["full", "minimal", "save_qkv_proj"] | None = None
    """What is kept of the forward pass; by default MaxText's own."""
    checkpoint_period: Steps | None = None
    """Steps between checkpoints; by default a tenth of `steps`, from 25 to 250."""
    checkpoints_to_keep: KeptCheckpoints = 3
    """How many of the newest checkpoints stay."""
    install_maxtext: bool = True
    """Have workers install MaxText; without it the image has to have it."""
    retries: Retries = 0
    """Runs after a failure, each from the last checkpoint; an elastic job has 3 by default."""
    elastic: Elastic | None = None
    """Go on when slices are taken away; by default the job fails."""
    type: Literal["maxtext"]
    """Which job it is."""

    @property
    def saves_every(self) -> int:
        """Steps between checkpoints, as the config says or by default."""
        if self.checkpoint_period is not None:
            return self.checkpoint_period
        return min(self.steps, max(_LEAST_PERIOD, min(_MOST_PERIOD, self.steps // 10)))

    @property
    def runs_again(self) -> int:
        if self.elastic is not None and "retries" not in self.model_fields_set:
            return _ELASTIC_RETRIES
        return self.retries

    @property
    def after_loss(self) -> str:
        again = f"goes on from its last checkpoint, retries ({self.runs_again}) times"
        if self.elastic is None:
            return f"fails, and {again}"
        times = self.elastic.max_failures
        return (
            f"goes on from its last checkpoint with the slices left, max_failures ({times}) times; "
            f"after that it fails, and {again}"
        )

    def resumes(self, name: str, mount_path: str) -> Written:
        return CHECKPOINTS.resumes(self._place(name, mount_path), f"{self.saves_every} steps")

    def demands(self, facts: Catalog) -> RayDemands:
        return RayDemands(image="ray_tpu", head_is_enough=self.elastic is not None)

    def work(self, at: Place, topology: Topology, released: str) -> Work:
        """The workers are slices; `released` is the MaxText that they install."""
        return Work(
            name=at.name,
            launcher_name=TRAINER_NAME,
            launcher=workload(f"maxtext/{TRAINER_NAME}"),
            # Read when the trainer starts, so that another slice needs no other job.
            files={_SLICES: f"{at.workers}\n"},
            parameters=self.parameters(at, topology, released if self.install_maxtext else ""),
            environment=UNBUFFERED,
        )

    def parameters(self, at: Place, topology: Topology, maxtext: str) -> dict[str, str]:
        """The trainer's own, and MaxText 0.2.5's options by their names there."""
        elastic, place = self.elastic, self._place(at.name, at.mount_path)
        each = topology.devices_per_chip
        ray = load_table(TopologyTable, "topologies").ray
        return {
            "slices": f"@{LAUNCHER_DIR}/{_SLICES}",
            "hosts": str(topology.hosts),
            "chips": str(topology.chips // topology.hosts),
            "topology": topology.name,
            "accelerator": ray.generations[topology.generation].accelerator,
            **({} if each == 1 else {"devices": str(each)}),
            "maxtext": maxtext,
            **({} if elastic is None else {"min_slices": str(elastic.min_slices)}),
            **({} if elastic is None else {"max_failures": str(elastic.max_failures)}),
            **place,
            **self.step_options(),
            "checkpoint_period": str(self.saves_every),
            # Without it all of them (configs/types.py:379, common/checkpoint_context.py:80).
            "max_num_checkpoints_to_keep": str(self.checkpoints_to_keep),
            # Beside the runs: whoever starts again, on new machines, too, compiles nothing anew. By
            # default it is ~/jax_cache (configs/base.yml:623, configs/pyconfig.py:573).
            "jax_cache_dir": f"{place['base_output_directory']}/jax_cache",
        }

    def step_options(self) -> dict[str, str]:
        """MaxText's options that a compilation of the step depends on."""
        return {
            "model_name": self.model,
            "dataset_type": self.dataset,
            "steps": str(self.steps),
            "per_device_batch_size": str(self.per_device_batch_size),
            "max_target_length": str(self.max_target_length),
            **{f"ici_{key}_parallelism": str(it) for key, it in self.ici.factors().items()},
            **{f"dcn_{key}_parallelism": str(it) for key, it in self.dcn.factors().items()},
            **({} if self.remat_policy is None else {"remat_policy": self.remat_policy}),
        }

    def _place(self, name: str, mount_path: str) -> dict[str, str]:
        folder = mount_path if self.directory is None else f"{mount_path}/{self.directory}"
        return {"run_name": self.run_name or name, "base_output_directory": folder}


def worker_environment(flags: Sequence[LibtpuFlag], devices: list[str]) -> dict[str, str]:
    """`devices` are the interfaces that pods claim. How many slices there are is Ray's to say: set
    here, it would stay when an elastic job shrinks to one (ray 2.56.0 train/v2/jax/config.py:29,
    102 and 183)."""
    given = [flag.argument for flag in flags]
    if devices:
        given.append(f"--megascale_grpc_interface_prefixes={','.join([*devices, 'lo'])}")
    return {
        "MEGASCALE_PORT": "9915",
        "JAX_PLATFORMS": "tpu,cpu",
        "ENABLE_PJRT_COMPATIBILITY": "true",
        "LIBTPU_INIT_ARGS": " ".join(given),
    }
