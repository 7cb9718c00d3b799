"""What a job runs on a RayCluster."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi

from components.ray_cluster import RayCluster
from components.ray_job import RayJobArgs, ResumeArgs

_RESUME = Path(__file__).parents[3] / "workloads" / "ray" / "resume.py"


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a job runs on a RayCluster: a launcher with parameters, and what it finds there.

    A job that takes all of `gpus` waits for them, and is run again when a machine under it goes.
    """

    name: str
    launcher_name: str
    launcher: str
    parameters: dict[str, str]
    environment: dict[str, str]
    files: dict[str, str] = field(default_factory=dict[str, str])
    packages: Sequence[str] = ()
    gpus: int | None = None

    def resume(self) -> ResumeArgs | None:
        if self.gpus is None:
            return None
        script = _RESUME.read_text(encoding="utf-8")
        return ResumeArgs(name=_RESUME.name, script=script, gpus=self.gpus)

    def runtime_environment(self) -> str:
        """For a submission by hand, as JSON."""
        packages = {"pip": list(self.packages)} if self.packages else {}
        return json.dumps({"env_vars": self.environment, **packages})


def job_args(
    namespace: pulumi.Input[str],
    ray_cluster: str,
    cluster: RayCluster,
    work: Work,
    labels: dict[str, str],
    launchers: Any = None,
) -> RayJobArgs:
    return RayJobArgs(
        namespace=namespace,
        job_name=work.name,
        ray_cluster=ray_cluster,
        cluster=cluster.cluster,
        held=cluster.held,
        launcher_name=work.launcher_name,
        launcher=work.launcher,
        files=work.files,
        parameters=work.parameters,
        environment=work.environment,
        packages=work.packages,
        resume=work.resume(),
        launchers=launchers,
        labels=labels,
    )
