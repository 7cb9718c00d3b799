"""Trainings that their GPUs cannot hold, by arithmetic, and what comes nearest and can be held.

What is counted is the least, so what is refused cannot fit; what passes still may not. A model that
the catalog does not know is not judged.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from catalog import Catalog
from catalog.accelerators import usable_gib
from stacks.parts.jobs.divisors import divisors
from stacks.parts.jobs.fine_tune import FineTuning
from stacks.parts.jobs.gpu_memory import GpuTraining, Need, known_model, needs_of
from stacks.parts.jobs.nemo_rl import NemoRlJob, Parallelism
from stacks.parts.jobs.nemo_rl_rules import nemo_rl_problems
from stacks.parts.jobs.verl import VerlTraining
from stacks.plan import Plan
from stacks.problems import Problem, under

_GIB = 2**30


@dataclass(frozen=True, kw_only=True)
class Gpus:
    """So many of them, of each of which programs have so many GiB."""

    count: int
    memory_gib: float

    def excess(self, facts: Catalog, job: GpuTraining) -> Need | None:
        """What they cannot hold."""
        needs = needs_of(facts, job, gpus=self.count, memory_gib=self.memory_gib)
        return next((it for it in needs if it.bytes > self.memory_gib * _GIB), None)


def gpus_of(plan: Plan, name: str, job: GpuTraining) -> Gpus:
    """Those that a job of the stack runs on."""
    if isinstance(job, FineTuning):
        machine, count = plan.fine_tunings[name].pool.machine, job.pods * job.gpus
    else:
        ray = plan.ray[plan.cluster_of(job)]
        machine, count = ray.accelerated.first.machine, ray.gpus
    # The references refuse a pool without any.
    assert machine.accelerator is not None
    return Gpus(count=count, memory_gib=usable_gib(machine.accelerator))


def gpu_memory_rules(plan: Plan, name: str, job: GpuTraining) -> Iterator[Problem]:
    found = gpu_memory_problems(plan.facts, job, gpus_of(plan, name, job))
    yield from under({"job": f"jobs.{name}"}, found)


def gpu_memory_problems(facts: Catalog, job: GpuTraining, gpus: Gpus) -> Iterator[Problem]:
    if (need := gpus.excess(facts, job)) is None:
        return
    parts = ", ".join(f"{it / _GIB:.1f} of {what}" for what, it in need.parts.items())
    why = (
        f"{job.model} needs {need.bytes / _GIB:.1f} GiB of a GPU that has {gpus.memory_gib:g} in "
        f"{need.stage}, on {gpus.count} GPUs: {parts}"
    )
    for field, value, changed in _changes(facts, job, gpus):
        if gpus.excess(facts, changed) is None:
            yield Problem(f"job.{field}", f"{why}; nearest: {value}")
            return
    models = facts.served_models.models
    for model in sorted(models, key=lambda it: models[it].parameters, reverse=True):
        other = job.model_copy(update={"model": model})
        if known_model(facts, other) and gpus.excess(facts, other) is None:
            yield Problem("job.model", f"{why}; nearest: {model}, or more GPUs")
            return
    yield Problem("job", f"{why}; nearest: leave it out")


def _changes(
    facts: Catalog, job: GpuTraining, gpus: Gpus
) -> Iterator[tuple[str, str, GpuTraining]]:
    """A field, another value that the other rules take, and the job with it; nearest first."""
    if isinstance(job, VerlTraining):
        yield from _of_verl(job, gpus)
    elif isinstance(job, NemoRlJob):
        yield from _of_nemo_rl(facts, job, gpus)


def _of_verl(job: VerlTraining, gpus: Gpus) -> Iterator[tuple[str, str, GpuTraining]]:
    share = job.actor.mini_batch_size * job.rollout.samples // gpus.count
    micro = job.actor.micro_batch_size_per_gpu
    for size in reversed([it for it in divisors(max(1, share)) if it < micro]):
        actor = job.actor.model_copy(update={"micro_batch_size_per_gpu": size})
        changed = job.model_copy(update={"actor": actor})
        yield "actor.micro_batch_size_per_gpu", str(size), changed
    asked = job.rollout.gpu_memory_utilization
    for hundredths in range(int(asked * 100) - 1, 0, -1):
        rollout = job.rollout.model_copy(update={"gpu_memory_utilization": hundredths / 100})
        changed = job.model_copy(update={"rollout": rollout})
        yield "rollout.gpu_memory_utilization", f"{hundredths / 100:g}", changed


def _of_nemo_rl(
    facts: Catalog, job: NemoRlJob, gpus: Gpus
) -> Iterator[tuple[str, str, GpuTraining]]:
    """As few more GPUs a copy as will do; sharing layers, within a machine, before more stages."""
    model, now = known_model(facts, job), job.parallelism.gpus_per_copy
    sizes = divisors(gpus.count)
    cuts = sorted(product(sizes, sizes), key=lambda it: (it[0] * it[1], it[1]))
    for tensor, pipeline in cuts:
        if tensor * pipeline <= now or gpus.count % (tensor * pipeline):
            continue
        if model is None or model.kv_heads % tensor or model.layers % pipeline:
            continue
        cut = Parallelism(tensor=tensor, pipeline=pipeline)
        changed = job.model_copy(update={"parallelism": cut})
        if not list(nemo_rl_problems(changed, gpus.count, wandb_key=True)):
            yield "parallelism", f"{{tensor: {tensor}, pipeline: {pipeline}}}", changed
