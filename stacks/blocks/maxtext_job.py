"""A MaxText training (options as in MaxText 0.2.1). Slices and hosts are the pools'."""

from typing import Literal

from stacks.blocks.block import Block
from stacks.types import (
    BatchSize,
    Factor,
    KeptCheckpoints,
    Losses,
    PodCount,
    RayJobName,
    RelativePath,
    RunName,
    Steps,
    Tokens,
)


class SliceParallelism(Block, frozen=True):
    """How the model is cut up over the chips of a slice; the product is their number."""

    fsdp: Factor = -1
    tensor: Factor = 1
    data: Factor = 1

    def factors(self) -> dict[str, int]:
        return {"fsdp": self.fsdp, "tensor": self.tensor, "data": self.data}


class DcnParallelism(Block, frozen=True):
    """How it is cut up between slices; the product is their number."""

    data: Factor = -1
    fsdp: Factor = 1

    def factors(self) -> dict[str, int]:
        return {"data": self.data, "fsdp": self.fsdp}


class Elastic(Block, frozen=True):
    """The job goes on with `min_slices` when slices are taken away, `max_failures` times."""

    min_slices: PodCount = 1
    max_failures: Losses = 3


class MaxTextOptions(Block, frozen=True):
    """`run_name` is the folder of the run's checkpoints on the bucket, by default the job's name.

    `finished_runs` are names that have been used up: a run that starts under one would find
    nothing to do. The newest `checkpoints_to_keep` stay on the bucket. Without `install_maxtext`
    the image has to have it.
    """

    run_name: RunName | None = None
    finished_runs: tuple[RunName, ...] = ()
    directory: RelativePath | None = None
    model: Literal["llama3-8b", "llama3-70b", "llama3.1-8b", "llama3.1-70b", "llama3.3-70b"]
    dataset: Literal["synthetic"] = "synthetic"
    steps: Steps = 100
    per_device_batch_size: BatchSize = 4
    max_target_length: Tokens = 4096
    ici: SliceParallelism = SliceParallelism()
    dcn: DcnParallelism = DcnParallelism()
    remat_policy: Literal["full", "minimal", "save_qkv_proj"] | None = None
    checkpoint_period: Steps = 10
    checkpoints_to_keep: KeptCheckpoints = 3
    install_maxtext: bool = True
    elastic: Elastic | None = None


class MaxTextJob(MaxTextOptions, frozen=True):
    name: RayJobName
