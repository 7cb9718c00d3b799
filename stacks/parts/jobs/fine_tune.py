"""A fine-tuning that waits in a queue (options of Google's fine_tune.py). No Pulumi import."""

from typing import Literal

from stacks.parts.jobs.checkpoint_layout import CheckpointLayout, Written
from stacks.types import (
    BatchSize,
    Block,
    Epochs,
    Examples,
    Gpus,
    ImageReference,
    MemoryGiB,
    ModelName,
    ObjectName,
    PodCount,
    PoolKey,
    QueueName,
    RelativePath,
    Resources,
    Retries,
    RunName,
    Steps,
)

LAUNCHER_NAME = "launch.sh"
# The state is written last (huggingface/transformers src/transformers/trainer.py, v4.46.1). The
# newest by its number is taken (src/transformers/trainer_utils.py, get_last_checkpoint, 007360d6)
# of those that have a state: the launcher takes away the others.
CHECKPOINTS = CheckpointLayout(
    launcher=LAUNCHER_NAME,
    folder="{MODEL_PATH}",
    key="directory",
    name=r"checkpoint-(\d+)",
    files=("trainer_state.json",),
)


class FineTuning(Block, frozen=True):
    """A fine-tuning as a Job of its own, which waits in a queue."""

    image: ImageReference | None = None
    """Image with a fixed tag or digest; by default the version lock's."""
    pods: PodCount = 2
    """How many pods, started together."""
    gpus: Gpus = 2
    """GPUs of each pod."""
    requests: Resources | None = None
    """What a pod asks for; by default its GPUs' share of a node."""
    shm_gib: MemoryGiB = 8
    """GiB of /dev/shm, part of the memory."""
    model: ModelName = "google/gemma-2-2b"
    """Model on Hugging Face."""
    new_model: RunName = "gemma-ft"
    """Name of the model that comes out."""
    experiment: RunName = "finetune-experiment"
    """Name of the experiment."""
    directory: RelativePath = "model-gemma2/experiment"
    """Folder on the bucket for checkpoints and the model; a job goes on from what it finds
    there."""
    dataset: Literal["b-mc2/sql-create-context"] = "b-mc2/sql-create-context"
    """Data set on Hugging Face; the only one."""
    dataset_limit: Examples | None = 5000
    """How many examples are used; `null` is all of them."""
    epochs: Epochs = 1
    """How often the training goes through the data."""
    gradient_accumulation_steps: BatchSize = 2
    """Batches that make one step."""
    checkpoint_save_steps: Steps = 10
    """Steps between checkpoints."""
    priority: ObjectName | None = None
    """One of the queues' priority classes."""
    workload_priority: ObjectName | None = None
    """Priority in the queue, before `priority`."""
    retries: Retries = 4
    """Failures of pods before the Job gives up."""
    type: Literal["fine-tune"]
    """Which job it is."""
    pool: PoolKey | None = None
    """Pool whose nodes it runs on; by default the only one with GPUs."""
    storage: str | None = None
    """Bucket with its checkpoints; by default the only one."""
    queue: QueueName | None = None
    """LocalQueue that admits it; by default the only one of the stack's namespace."""

    def resumes(self, mount_path: str) -> Written:
        """From where a job goes on that is made anew."""
        every = f"{self.checkpoint_save_steps} steps"
        return CHECKPOINTS.resumes(self._place(mount_path), every)

    def environment(self, mount_path: str) -> dict[str, str]:
        """fine_tune.py's variables."""
        return {
            "EXPERIMENT": self.experiment,
            "MODEL_NAME": self.model,
            "NEW_MODEL": self.new_model,
            **self._place(mount_path),
            "DATASET_NAME": self.dataset,
            "DATASET_LIMIT": str(-1 if self.dataset_limit is None else self.dataset_limit),
            "EPOCHS": str(self.epochs),
            "GRADIENT_ACCUMULATION_STEPS": str(self.gradient_accumulation_steps),
            "CHECKPOINT_SAVE_STEPS": str(self.checkpoint_save_steps),
        }

    def _place(self, mount_path: str) -> dict[str, str]:
        return {"MODEL_PATH": f"{mount_path}/{self.directory}"}
