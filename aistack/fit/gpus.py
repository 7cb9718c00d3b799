"""What a training on GPUs asks of them, by arithmetic alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aistack.fit.report import Fit, How, Storage, Verdict
from aistack.fit.storage import seconds_to_write
from stacks.parts.jobs.fine_tune import FineTuning
from stacks.parts.jobs.gpu_memory import GpuTraining, checkpoint_of, needs_of
from stacks.parts.jobs.gpu_memory_rules import gpu_memory_problems, gpus_of
from stacks.parts.jobs.nemo_rl import NemoRlJob
from stacks.parts.jobs.verl import VerlTraining

if TYPE_CHECKING:
    from stacks.plan import Plan

_GIB = 2**30
_UNKNOWN = (
    "the catalog does not know the model (catalog/data/served_models.yaml), so nothing is judged"
)


def fit_on_gpus(plan: Plan, name: str, job: GpuTraining, utilisation: float) -> Fit:
    gpus = gpus_of(plan, name, job)
    needs = needs_of(plan.facts, job, gpus=gpus.count, memory_gib=gpus.memory_gib)
    fit = Fit(
        job=name,
        model=job.model,
        layout=_layout(job),
        accelerator=_type_of(plan, name, job),
        accelerators=gpus.count,
        how=How.NOT_JUDGED,
        memory_gib=gpus.memory_gib,
        parts={},
        utilisation=utilisation,
        note=_UNKNOWN,
    )
    if not needs:
        return fit
    return _judged(plan, name, job, fit)


def _judged(plan: Plan, name: str, job: GpuTraining, fit: Fit) -> Fit:
    gpus = gpus_of(plan, name, job)
    needs = needs_of(plan.facts, job, gpus=gpus.count, memory_gib=gpus.memory_gib)
    most = max(needs, key=lambda it: it.bytes)
    broken = list(gpu_memory_problems(plan.facts, job, gpus))
    nearest = broken[0].message.rpartition("; nearest: ")[2] if broken else None
    field = broken[0].field.removeprefix("job").removeprefix(".") if broken else ""
    return replace(
        fit,
        how=How.ESTIMATE,
        verdict=Verdict.NO if broken else Verdict.MAYBE,
        used_gib=most.bytes / _GIB,
        parts={f"{most.stage}: {what}": it / _GIB for what, it in most.parts.items()},
        nearest=f"{field} {nearest}".strip() if broken else None,
        storage=_storage(plan, job),
        sources=most.sources,
        note=None,
    )


def _layout(job: GpuTraining) -> str:
    if isinstance(job, VerlTraining):
        actor, rollout = job.actor, job.rollout
        return (
            f"{actor.strategy} over all, {actor.micro_batch_size_per_gpu} samples a GPU at once, "
            f"vLLM on {rollout.tensor_parallel}"
        )
    if isinstance(job, NemoRlJob):
        return f"tensor {job.parallelism.tensor} x pipeline {job.parallelism.pipeline}"
    return f"FSDP over {job.pods} pods x {job.gpus} GPUs, LoRA"


def _type_of(plan: Plan, name: str, job: GpuTraining) -> str:
    if isinstance(job, FineTuning):
        machine = plan.fine_tunings[name].pool.machine
    else:
        machine = plan.ray[plan.cluster_of(job)].accelerated.first.machine
    assert machine.accelerator is not None
    return machine.accelerator.type


def _storage(plan: Plan, job: GpuTraining) -> Storage | None:
    """How long a step takes depends on how long answers are, which nobody knows before."""
    size = checkpoint_of(plan.facts, job)
    if size is None or isinstance(job, FineTuning):
        return None
    return Storage(
        checkpoint_gb=size / 1e9,
        period=f"{job.checkpoints.period} steps",
        seconds=seconds_to_write(plan, plan.storage_of(job), size),
        every_seconds=None,
    )
