"""What each type of job asks of the RayCluster that it runs on. No Pulumi import."""

from collections.abc import Iterable
from dataclasses import dataclass

from catalog import Catalog
from stacks import verl_workload
from stacks.parts.jobs.config import (
    ImageClassifierTraining,
    MaxTextTraining,
    NemoRlJob,
    RayJob,
    VerlTraining,
)
from stacks.parts.jobs.script.config import Script

# What Ray writes of logs to a pod's disk.
_LOGS_GIB = 1


@dataclass(frozen=True, kw_only=True)
class RayDemands:
    """`image` is what the version lock calls the image. Where each GPU's process writes its own
    part of a checkpoint, a worker `writes_per_gpu`. `packages` are what Ray installs, pinned, and
    `written_gib` is known to be written to a node's disk.

    Where `head_is_enough` the job waits for its workers itself. `head_runs_nothing` keeps the job's
    own processes off the head. `scratch` are directories on nodes' own disks, of the head and of
    the workers.
    """

    image: str
    writes_per_gpu: bool = False
    packages: tuple[str, ...] = ()
    written_gib: int = _LOGS_GIB
    head_is_enough: bool = False
    head_runs_nothing: bool = False
    scratch: tuple[str | None, str | None] = (None, None)


def demands_of(job: RayJob | None, kinds: Iterable[str], facts: Catalog) -> RayDemands:
    """`kinds` are those of the workers' pools; with a script the user brings the job, without
    any they do so later."""
    match job:
        case NemoRlJob():
            return RayDemands(image="nemo_rl")
        case VerlTraining():
            return RayDemands(
                image="verl",
                writes_per_gpu=True,
                # verl's controller must not land there: it has neither GPU nor network for it.
                head_runs_nothing=True,
                scratch=("/tmp/ray", verl_workload.SCRATCH_DIR),
            )
        case MaxTextTraining():
            return RayDemands(image="ray_tpu", head_is_enough=job.elastic is not None)
        case ImageClassifierTraining():
            packages = _packages(facts) if job.install_torch else {}
            return RayDemands(
                image="ray_gpu",
                writes_per_gpu=True,
                packages=tuple(packages),
                written_gib=_LOGS_GIB + sum(packages.values()),
            )
        case Script() | None:
            tpus = "tpu" in set(kinds)
            return RayDemands(image="ray_tpu" if tpus else "ray_gpu", writes_per_gpu=True)


def _packages(facts: Catalog) -> dict[str, int]:
    """PyTorch as Ray installs it, each with the GiB that it takes."""
    found = {name: facts.component(name) for name in ("torch", "torchvision")}
    return {f"{name}=={it.version}": it.disk_gib or 0 for name, it in found.items()}
