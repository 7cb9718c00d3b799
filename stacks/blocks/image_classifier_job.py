"""A training of an image classifier with Ray Train (parameters of workloads/image_classifier)."""

from stacks.blocks.block import Block
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
    """`run_name` is the folder of the run's checkpoints on the bucket, by default the job's name:
    the same job again goes on there.

    `data` is a folder on the bucket, the URL of a zip with a folder of its name in it, or
    `generated`. `batch_size` is a worker's. `max_failures` are workers that may be lost, -1 any
    number. A checkpoint that takes longer than `save_seconds` has failed. Without `install_torch`
    the image has to have PyTorch.
    """

    run_name: RunName | None = None
    data: DataSource = "https://download.pytorch.org/tutorial/hymenoptera_data.zip"
    epochs: Epochs = 10
    batch_size: BatchSize = 32
    learning_rate: LearningRate = 0.001
    checkpoints_to_keep: KeptCheckpoints = 3
    max_failures: Losses = 3
    save_seconds: Seconds = 600
    install_torch: bool = True


class ImageClassifierJob(ImageClassifierOptions, frozen=True):
    name: RayJobName
