"""A fine-tuning that waits in a queue (options of Google's fine_tune.py)."""

from typing import Literal

from stacks.blocks.block import Block
from stacks.blocks.ray import Resources
from stacks.types import (
    BatchSize,
    Epochs,
    Examples,
    Gpus,
    ImageReference,
    MemoryGiB,
    ModelName,
    ObjectName,
    PodCount,
    QueueName,
    RelativePath,
    Retries,
    RunName,
    Steps,
)


class FineTuneOptions(Block, frozen=True):
    """`pods` of `gpus` each, started together.

    `image` defaults to what the version lock has, `requests` to the share of a node that the GPUs
    are, less what mounts the bucket. `shm_gib` is part of the memory. `directory`, on the bucket,
    gets checkpoints and at last the model; a job goes on from what it finds there. `dataset_limit`
    is how many examples are used, `None` all of them. In its queue a `workload_priority` goes
    before the `priority`, which is a priority class.
    """

    image: ImageReference | None = None
    pods: PodCount = 2
    gpus: Gpus = 2
    requests: Resources | None = None
    shm_gib: MemoryGiB = 8
    model: ModelName = "google/gemma-2-2b"
    new_model: RunName = "gemma-ft"
    experiment: RunName = "finetune-experiment"
    directory: RelativePath = "model-gemma2/experiment"
    dataset: Literal["b-mc2/sql-create-context"] = "b-mc2/sql-create-context"
    dataset_limit: Examples | None = 5000
    epochs: Epochs = 1
    gradient_accumulation_steps: BatchSize = 2
    checkpoint_save_steps: Steps = 10
    priority: ObjectName | None = None
    workload_priority: ObjectName | None = None
    backoff_limit: Retries = 4

    def environment(self, mount_path: str) -> dict[str, str]:
        """fine_tune.py's variables."""
        return {
            "EXPERIMENT": self.experiment,
            "MODEL_NAME": self.model,
            "NEW_MODEL": self.new_model,
            "MODEL_PATH": f"{mount_path}/{self.directory}",
            "DATASET_NAME": self.dataset,
            "DATASET_LIMIT": str(-1 if self.dataset_limit is None else self.dataset_limit),
            "EPOCHS": str(self.epochs),
            "GRADIENT_ACCUMULATION_STEPS": str(self.gradient_accumulation_steps),
            "CHECKPOINT_SAVE_STEPS": str(self.checkpoint_save_steps),
        }


class FineTuneJob(FineTuneOptions, frozen=True):
    name: ObjectName
    queue: QueueName
