"""A training of an image classifier with Ray Train (parameters of workloads/image_classifier)."""

from stacks.block import Block
from stacks.types import (
    BatchSize,
    DataSource,
    Epochs,
    KeptCheckpoints,
    LearningRate,
    Losses,
    RayJobName,
    RunName,
    Seconds,
)


class ImageClassifierOptions(Block, frozen=True):
    """What the training of an image classifier is told."""

    run_name: RunName | None = None
    """Folder of the run's checkpoints, by default the job's name: the same job again goes on
    there."""
    data: DataSource = "https://download.pytorch.org/tutorial/hymenoptera_data.zip"
    """A folder on the bucket, the URL of a zip with a folder of its name in it, or `generated`."""
    epochs: Epochs = 10
    """How often the whole run goes through the data."""
    batch_size: BatchSize = 32
    """Images of a worker's batch."""
    learning_rate: LearningRate = 0.001
    """How far a step goes."""
    checkpoints_to_keep: KeptCheckpoints = 3
    """How many of the newest checkpoints stay; one is written each epoch."""
    max_failures: Losses = 3
    """Workers that may be lost; -1 is any number."""
    save_seconds: Seconds = 600
    """Seconds after which a checkpoint has failed."""
    install_torch: bool = True
    """Have Ray install PyTorch; without it the image has to have it."""


class ImageClassifierJob(ImageClassifierOptions, frozen=True):
    name: RayJobName
