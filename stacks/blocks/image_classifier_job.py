"""A training of an image classifier with Ray Train (parameters of workloads/image_classifier)."""

from typing import Annotated

from pydantic import Field, PositiveFloat, PositiveInt

from stacks.blocks.block import Block
from stacks.types import DataSource, RayJobName, RunName


class ImageClassifierJob(Block, frozen=True):
    """`run_name` is the folder of the run's checkpoints on the bucket, by default `name`: the same
    job again goes on there.

    `data` is a folder on the bucket, the URL of a zip with a folder of its name in it, or
    `generated`. `batch_size` is a worker's. `max_failures` are workers that may be lost, -1 any
    number. A checkpoint that takes longer than `save_seconds` has failed. Without `install_torch`
    the image has to have PyTorch.
    """

    name: RayJobName
    run_name: RunName | None = None
    data: DataSource = "https://download.pytorch.org/tutorial/hymenoptera_data.zip"
    epochs: PositiveInt = 10
    batch_size: PositiveInt = 32
    learning_rate: PositiveFloat = 0.001
    checkpoints_to_keep: PositiveInt = 3
    max_failures: Annotated[int, Field(ge=-1)] = 3
    save_seconds: PositiveInt = 600
    install_torch: bool = True
