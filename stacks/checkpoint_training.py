"""Ray on GPU nodes, a bucket under all pods, and a training with its checkpoints there."""

from collections.abc import Mapping
from dataclasses import replace

import pulumi

from stacks import checkpoint_workload
from stacks.checkpoint_training_config import CheckpointTraining
from stacks.outputs import StackOutputs
from stacks.parts.jobs.work import Work
from stacks.ray_on_bucket import outputs, ray_on_bucket
from stacks.ray_workload import launch


def build(config: CheckpointTraining, secrets: Mapping[str, pulumi.Output[str]]) -> StackOutputs:
    on = ray_on_bucket(config, secrets)
    job = launch(config, on.nodes.gke, on.where, on.ray, _work(config), on.labels)
    return replace(outputs(config, on, job.submit), job_name=job.job_name)


def _work(config: CheckpointTraining) -> Work | None:
    if config.job is None:
        return None
    return Work(
        name=config.job.name,
        launcher_name=checkpoint_workload.TRAINER_NAME,
        launcher=checkpoint_workload.trainer(),
        files=checkpoint_workload.files(),
        parameters=checkpoint_workload.parameters(
            config.job,
            workers=config.workers,
            gpus_per_worker=config.worker_gpus,
            mount_path=config.bucket.mount_path,
        ),
        # Lines of the log as they come.
        environment={"PYTHONUNBUFFERED": "1"},
        packages=config.packages,
    )
