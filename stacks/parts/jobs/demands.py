"""What each type of job asks of the RayCluster that it runs on. No Pulumi import."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from catalog import Catalog
from stacks.parts.jobs import verl_workload
from stacks.parts.jobs.config import (
    ImageClassifierTraining,
    MaxTextTraining,
    NemoRlJob,
    RayJob,
    Training,
    VerlTraining,
)
from stacks.parts.jobs.script.config import Script

# What Ray writes of logs to a pod's disk.
_LOGS_GIB = 1
# Each rank saves its part of a checkpoint by two processes, a file each (NVIDIA/Megatron-LM
# megatron/core/dist_checkpointing/strategies/torch.py, TorchDistSaveShardedStrategy, 00caa53a; NeMo
# RL has all ranks save: NVIDIA-NeMo/RL nemo_rl/models/policy/megatron_policy_worker.py). Recipes
# with DTensor have one file a rank.
_MEGATRON_FILES = 2


@dataclass(frozen=True, kw_only=True)
class RayDemands:
    """`image` is what the version lock calls the image. Where each GPU's process writes its own
    part of a checkpoint, it does so in `files_per_gpu` at once. `packages` are what Ray installs,
    pinned, and `written_gib` is known to be written to a node's disk.

    Where `head_is_enough` the job waits for its workers itself. `head_runs_nothing` keeps the job's
    own processes off the head. `scratch` are directories on nodes' own disks, of the head and of
    the workers.
    """

    image: str
    files_per_gpu: int = 0
    packages: tuple[str, ...] = ()
    written_gib: int = _LOGS_GIB
    head_is_enough: bool = False
    head_runs_nothing: bool = False
    scratch: tuple[str | None, str | None] = (None, None)


def demands_of(jobs: Sequence[RayJob], kinds: Iterable[str], facts: Catalog) -> RayDemands:
    """Those of all jobs at once; the rules refuse trainings that want different images. `kinds` are
    those of the workers' pools; with scripts the user brings jobs, without any job does so later.
    """
    found = [_of_training(it, facts) for it in jobs if not isinstance(it, Script)]
    if len(found) < len(jobs) or not jobs:
        tpus = "tpu" in set(kinds)
        of_users = RayDemands(image="ray_tpu" if tpus else "ray_gpu", files_per_gpu=1)
        # Their image is whichever is there.
        found.append(replace(of_users, image=found[0].image) if found else of_users)
    return RayDemands(
        image=found[0].image,
        files_per_gpu=max(it.files_per_gpu for it in found),
        packages=tuple(dict.fromkeys(one for it in found for one in it.packages)),
        written_gib=max(it.written_gib for it in found),
        head_is_enough=any(it.head_is_enough for it in found),
        head_runs_nothing=any(it.head_runs_nothing for it in found),
        scratch=(
            next((it.scratch[0] for it in found if it.scratch[0]), None),
            next((it.scratch[1] for it in found if it.scratch[1]), None),
        ),
    )


def image_of(job: Training, facts: Catalog) -> str:
    """What the version lock calls the image of a training."""
    return _of_training(job, facts).image


def _of_training(job: Training, facts: Catalog) -> RayDemands:
    match job:
        case NemoRlJob():
            return RayDemands(image="nemo_rl", files_per_gpu=_MEGATRON_FILES)
        case VerlTraining():
            return RayDemands(
                image="verl",
                files_per_gpu=1,
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
                files_per_gpu=1,
                packages=tuple(packages),
                written_gib=_LOGS_GIB + sum(packages.values()),
            )


def _packages(facts: Catalog) -> dict[str, int]:
    """PyTorch as Ray installs it, each with the GiB that it takes."""
    found = {name: facts.component(name) for name in ("torch", "torchvision")}
    return {f"{name}=={it.version}": it.disk_gib or 0 for name, it in found.items()}
