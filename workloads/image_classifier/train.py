"""Trains an image classifier with Ray Train, data-parallel, with a checkpoint each epoch.

Arguments are key=value pairs, the fields of Job. `data` is a folder with train/ and val/ and in
them a folder a class, the URL of a zip that holds such a folder of the zip's name, or `generated`.
The same job again goes on after the newest whole checkpoint of its run; a run with all its epochs
ends at once. Learns with PyTorch where it is installed, else with its twin in JAX. With DRY_RUN=1
the job is checked and printed as JSON, not run.
"""

# pyright: reportMissingImports=false
import json
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import checkpoints
from checkpoints import Run


class JobError(Exception):
    """What a person has to put right, in one line."""

    def __init__(self, problem: str, nearest: object) -> None:
        super().__init__(f"{problem}; nearest: {nearest}")


@dataclass(frozen=True, kw_only=True)
class Job:
    data: str
    storage_path: Path
    run_name: str
    workers: int = 4
    gpus_per_worker: int = 1
    epochs: int = 10
    batch_size: int = 32  # of a worker
    learning_rate: float = 0.001
    checkpoints_to_keep: int = 3
    max_failures: int = 3  # lost workers, each a start from the newest checkpoint; -1 without end
    save_seconds: int = 600  # a checkpoint that takes longer counts as failed

    @property
    def run(self) -> Run:
        return Run(self.storage_path / self.run_name, self.checkpoints_to_keep, self.save_seconds)


LEAST = {"gpus_per_worker": 0, "max_failures": -1}
DEFAULTS = {field.name: field.default for field in fields(Job)}
# Given as text, kept as these.
KINDS: dict[str, Callable[[str], Any]] = {
    "data": str,
    "storage_path": Path,
    "run_name": str,
    "learning_rate": float,
}


def read_job(arguments: list[str]) -> Job:
    """Raises JobError for what would fail only once the workers are up."""
    given: dict[str, Any] = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals:
            raise JobError(f"{argument}: not a key=value pair", "epochs=10")
        if key not in DEFAULTS:
            near = get_close_matches(key, DEFAULTS, 1, 0)[0]
            raise JobError(f"{argument}: no such key", f"{near}={text}")
        if key in given:
            raise JobError(f"{argument}: given twice", f"{key}={given[key]} alone")
        given[key] = read_value(key, text)
    for needed in ("data=FOLDER", "storage_path=FOLDER", "run_name=NAME"):
        if not given.get(key := needed.partition("=")[0]):
            raise JobError(f"no {key} given", needed)
    job = Job(**given)
    if not re.fullmatch(r"\w[^/]*", job.run_name):
        near = re.sub(r"\W+", "-", job.run_name).strip("-") or "run"
        raise JobError(f"run_name={job.run_name}: not the name of one folder", near)
    if not job.storage_path.is_dir():
        raise JobError(f"storage_path={job.storage_path}: no such folder", "where the bucket is")
    if not (job.data == "generated" or "://" in job.data or Path(job.data, "train").is_dir()):
        raise JobError(f"data={job.data}: no folder train in it", "data=generated")
    return job


def read_value(key: str, text: str) -> Any:
    try:
        value = KINDS.get(key, int)(text)
    except ValueError:
        raise JobError(f"{key}={text}: not a number", f"{key}={DEFAULTS[key]}") from None
    if isinstance(value, int) and value < (least := LEAST.get(key, 1)):
        raise JobError(f"{key}={text}: below {least}", f"{key}={least}")
    if isinstance(value, float) and not 0 < value < float("inf"):
        raise JobError(f"{key}={text}: not above 0", f"{key}={DEFAULTS[key]}")
    return value


def train_loop(config: dict[str, Any]) -> None:
    """On each worker. Ray sends it there with the modules beside this file."""
    from ray import train
    from ray.train.collective import broadcast_from_rank_zero

    job, context = config["job"], train.get_context()
    rank, world = context.get_world_rank(), context.get_world_size()
    began = time.monotonic()
    # One worker looks: of a bucket, each node may have another picture.
    newest = job.run.newest() if rank == 0 else None
    history = newest.history if newest else []
    looked_s = time.monotonic() - began
    folder, done = broadcast_from_rank_zero((newest and newest.folder, len(history)))
    learner = config["learner"](job.data, job.learning_rate, fresh=folder is None)
    if folder:
        began = time.monotonic()
        with (folder / checkpoints.STATE).open("rb") as file:
            learner.load(file)
        if rank == 0:
            resume_s = looked_s + time.monotonic() - began
            sys.stderr.write(f"resumed_after={done} resume_s={resume_s:.4g}\n")
    for epoch in range(done, job.epochs):
        found = {"epoch": epoch + 1}
        for part, prefix in (("train", ""), ("val", "val_")):
            plan = config["batches"](
                learner.count(part), job.batch_size, epoch=epoch, rank=rank, world=world
            )
            loss, accuracy = learner.epoch(part, plan, seed=epoch * world + rank)
            found |= {f"{prefix}loss": loss, f"{prefix}accuracy": accuracy}
        if rank == 0:
            began = time.monotonic()
            history = [*history, found]
            job.run.write(history, learner.save)
            found = found | {"checkpoint_s": time.monotonic() - began}
            # Not with print: Ray writes what is printed twice.
            shown = " ".join(f"{key}={value:.4g}" for key, value in found.items())
            sys.stderr.write(f"{shown}\n")
        train.report(found)


def fit(job: Job) -> None:
    import images
    from ray import cloudpickle
    from ray.train import FailureConfig, RunConfig, ScalingConfig, WorkerGroupError

    if find_spec("torch"):
        import resnet as model
    else:
        import convnet as model
    for module in (checkpoints, images, model):
        cloudpickle.register_pickle_by_value(module)
    trainer = model.Learner.trainer(
        train_loop_per_worker=train_loop,
        train_loop_config={"job": job, "learner": model.Learner, "batches": images.batches},
        scaling_config=ScalingConfig(
            num_workers=job.workers,
            use_gpu=job.gpus_per_worker > 0,
            resources_per_worker={"CPU": 1, "GPU": job.gpus_per_worker},
        ),
        run_config=RunConfig(
            name=job.run_name,
            storage_path=str(job.storage_path),
            failure_config=FailureConfig(max_failures=job.max_failures),
        ),
    )
    try:
        trainer.fit()
    except WorkerGroupError as error:
        # Each is a traceback, and its last line says what happened.
        ends = {str(failure).strip().splitlines()[-1] for failure in error.worker_failures.values()}
        sys.exit("\n".join(sorted(ends)))


def main() -> None:
    try:
        job = read_job(sys.argv[1:])
        newest = job.run.newest()
    except (JobError, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    done = 0 if newest is None else len(newest.history)
    print(
        f"run {job.run_name}: {done} of {job.epochs} epochs are done", file=sys.stderr, flush=True
    )
    if os.environ.get("DRY_RUN") == "1":
        print(json.dumps(asdict(job), default=str, indent=2))
    elif done < job.epochs:
        fit(job)


if __name__ == "__main__":
    main()
