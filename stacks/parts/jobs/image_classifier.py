"""A training of an image classifier with Ray Train (parameters of workloads/image_classifier).

No Pulumi import."""

from typing import Literal

from catalog import Catalog
from stacks.parts.jobs.checkpoint_layout import CheckpointLayout, Written
from stacks.parts.jobs.on_ray import (
    LOGS_GIB,
    UNBUFFERED,
    WORKLOADS,
    OnRay,
    Place,
    RayDemands,
    Work,
)
from stacks.types import (
    BatchSize,
    DataSource,
    Epochs,
    KeptCheckpoints,
    LearningRate,
    Losses,
    RunName,
    Seconds,
)

_TRAINER = "train.py"
# As workloads/image_classifier/checkpoints.py writes and reads them.
CHECKPOINTS = CheckpointLayout(
    launcher=_TRAINER,
    folder="{storage_path}/{run_name}",
    key="run_name",
    name=r"checkpoint_(\d+)",
    manifest=("manifest.json", "size", "state"),
)


class ImageClassifierTraining(OnRay, frozen=True):
    """A training of an image classifier with Ray Train."""

    run_name: RunName | None = None
    """Folder of the run's checkpoints; by default the job's name."""
    data: DataSource = "https://download.pytorch.org/tutorial/hymenoptera_data.zip"
    """A folder on the bucket, the URL of a zip, or `generated`."""
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
    type: Literal["image-classifier"]
    """Which job it is."""

    @property
    def after_loss(self) -> str:
        return f"goes on from its last checkpoint, max_failures ({self.max_failures}) times"

    def resumes(self, name: str, mount_path: str) -> Written:
        return CHECKPOINTS.resumes(self._place(name, mount_path), "epoch")

    def demands(self, facts: Catalog) -> RayDemands:
        found = [(it, facts.component(it)) for it in ("torch", "torchvision")]
        # As Ray installs it.
        torch = found if self.install_torch else []
        return RayDemands(
            image="ray_gpu",
            files_per_gpu=1,
            packages=tuple(f"{name}=={it.version}" for name, it in torch),
            written_gib=LOGS_GIB + sum(it.disk_gib or 0 for _, it in torch),
        )

    def work(self, at: Place) -> Work:
        modules = (WORKLOADS / "image_classifier").glob("*.py")
        texts = {it.name: it.read_text(encoding="utf-8") for it in sorted(modules)}
        return Work(
            name=at.name,
            launcher_name=_TRAINER,
            launcher=texts.pop(_TRAINER),
            # What the trainer imports from beside itself.
            files=texts,
            parameters=self._parameters(at),
            environment=UNBUFFERED,
            packages=at.packages,
        )

    def _parameters(self, at: Place) -> dict[str, str]:
        elsewhere = self.data == "generated" or "://" in self.data
        return {
            "data": self.data if elsewhere else f"{at.mount_path}/{self.data}",
            **self._place(at.name, at.mount_path),
            "workers": str(at.workers),
            "gpus_per_worker": str(at.gpus),
            "epochs": str(self.epochs),
            "batch_size": str(self.batch_size),
            "learning_rate": str(self.learning_rate),
            "checkpoints_to_keep": str(self.checkpoints_to_keep),
            "max_failures": str(self.max_failures),
            "save_seconds": str(self.save_seconds),
        }

    def _place(self, name: str, mount_path: str) -> dict[str, str]:
        return {"storage_path": mount_path, "run_name": self.run_name or name}
