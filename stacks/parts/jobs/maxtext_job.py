"""A MaxText training (options as in MaxText 0.2.1). Slices and hosts are the pools'."""

from typing import Literal

from stacks.block import Block
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
    """How often it starts again; -1 is any number of times."""


class MaxTextOptions(Block, frozen=True):
    """What MaxText is told."""

    run_name: RunName | None = None
    """Folder of the run's checkpoints, by default the job's name."""
    finished_runs: tuple[RunName, ...] = ()
    """Names that have been used up: a run that starts under one would find nothing to do."""
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
    checkpoint_period: Steps = 10
    """Steps between checkpoints, at most `steps`."""
    checkpoints_to_keep: KeptCheckpoints = 3
    """How many of the newest checkpoints stay."""
    install_maxtext: bool = True
    """Have workers install MaxText; without it the image has to have it."""
    elastic: Elastic | None = None
    """Go on when slices are taken away; by default the job fails."""


class MaxTextJob(MaxTextOptions, frozen=True):
    name: RayJobName
