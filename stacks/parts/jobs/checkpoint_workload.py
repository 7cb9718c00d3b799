"""A training of an image classifier as parameters of its script. Pure, but for reading it."""

from pathlib import Path

from stacks.parts.jobs.image_classifier_job import ImageClassifierJob

TRAINER_NAME = "train.py"
_FOLDER = Path(__file__).parents[3] / "workloads" / "image_classifier"


def trainer() -> str:
    return (_FOLDER / TRAINER_NAME).read_text(encoding="utf-8")


def files() -> dict[str, str]:
    """The modules that the trainer imports from beside itself."""
    modules = sorted(it for it in _FOLDER.glob("*.py") if it.name != TRAINER_NAME)
    return {it.name: it.read_text(encoding="utf-8") for it in modules}


def parameters(
    job: ImageClassifierJob, *, workers: int, gpus_per_worker: int, mount_path: str
) -> dict[str, str]:
    elsewhere = job.data == "generated" or "://" in job.data
    return {
        "data": job.data if elsewhere else f"{mount_path}/{job.data}",
        "storage_path": mount_path,
        "run_name": job.run_name or job.name,
        "workers": str(workers),
        "gpus_per_worker": str(gpus_per_worker),
        "epochs": str(job.epochs),
        "batch_size": str(job.batch_size),
        "learning_rate": str(job.learning_rate),
        "checkpoints_to_keep": str(job.checkpoints_to_keep),
        "max_failures": str(job.max_failures),
        "save_seconds": str(job.save_seconds),
    }
