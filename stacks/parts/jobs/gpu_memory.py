"""What a training on GPUs keeps of its model in the memory of one of them, by arithmetic. Each
number is the least: what is left out only adds to it. No Pulumi import."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from catalog import Catalog, ServedModelFacts
from catalog.trainings import gpu_trainings
from stacks.parts.jobs.fine_tune import FineTuning
from stacks.parts.jobs.nemo_rl import NemoRlJob
from stacks.parts.jobs.verl import VerlTraining

GpuTraining: TypeAlias = VerlTraining | NemoRlJob | FineTuning


@dataclass(frozen=True, kw_only=True)
class Need:
    """Bytes of one GPU at one stage of the job."""

    stage: str
    parts: Mapping[str, float]
    sources: tuple[str, ...]

    @property
    def bytes(self) -> float:
        return sum(self.parts.values())


def known_model(facts: Catalog, job: GpuTraining) -> ServedModelFacts | None:
    """Where the catalog has it; its bytes are known of 16-bit weights alone."""
    found = facts.served_models.models.get(job.model)
    return found if found is not None and found.weight_bytes is None else None


def needs_of(facts: Catalog, job: GpuTraining, *, gpus: int, memory_gib: float) -> tuple[Need, ...]:
    """Of a job on so many GPUs with so much memory; none where the model is not known."""
    model = known_model(facts, job)
    if model is None:
        return ()
    if isinstance(job, VerlTraining):
        return _verl(job, model, gpus, memory_gib)
    if isinstance(job, NemoRlJob):
        return _nemo_rl(job, model, gpus)
    table = gpu_trainings().fine_tune
    parts = {
        "frozen weights": model.parameters * table.sharded_bytes / gpus,
        "layers' inputs": _inputs(model, table.batch, table.tokens),
        "logits": _logits(model, table.batch * table.tokens),
    }
    return (Need(stage="training", parts=parts, sources=(table.source,)),)


def checkpoint_of(facts: Catalog, job: GpuTraining) -> int | None:
    """Bytes; None where it is not known. A fine-tuning writes its adapters alone, far less."""
    model, table = known_model(facts, job), gpu_trainings()
    if model is None or isinstance(job, FineTuning):
        return None
    kept = table.verl if isinstance(job, VerlTraining) else table.nemo_rl
    return model.parameters * kept.checkpoint_bytes


def _verl(
    job: VerlTraining, model: ServedModelFacts, gpus: int, memory_gib: float
) -> tuple[Need, ...]:
    table, rollout = gpu_trainings().verl, job.rollout
    tokens = job.max_prompt_length + job.max_response_length
    micro = job.actor.micro_batch_size_per_gpu
    training = {
        "weights, optimizer, gradients": model.parameters * table.sharded_bytes / gpus,
        "layers' inputs": _inputs(model, micro, tokens),
        "logits": _logits(model, micro * tokens),
    }
    # Between updates; the policy at its start, which a KL term needs, is in the machine's memory
    # (verl 0.6.1 workers/fsdp_workers.py:490, 971, 1011). Logits are of all tokens, without
    # use_remove_padding (workers/actor/dp_actor.py, _forward_micro_batch).
    between = {"weights, optimizer": model.parameters * table.rollout_bytes / gpus}
    share = rollout.gpu_memory_utilization * memory_gib * 2**30
    stages = {"training": training, "generation": {**between, "vLLM's share": share}}
    for stage, size in _log_probability_batches(job).items():
        here = min(size, -(-job.train_batch_size * rollout.samples // gpus))
        stages[stage] = {**between, "logits": _logits(model, here * tokens)}
    return tuple(
        Need(stage=stage, parts=parts, sources=(table.source,)) for stage, parts in stages.items()
    )


def _log_probability_batches(job: VerlTraining) -> dict[str, int]:
    """Samples that a GPU has at once when the probability of each token is computed, by stage."""
    apart = job.divergence
    reference = {"reference probabilities": apart.reference_micro_batch_size_per_gpu}
    return {
        "probabilities": job.rollout.log_prob_micro_batch_size_per_gpu,
        **(reference if apart.loss else {}),
    }


def _nemo_rl(job: NemoRlJob, model: ServedModelFacts, gpus: int) -> tuple[Need, ...]:
    """What a recipe has layers keep is known of those in the catalog."""
    table, cut = gpu_trainings().nemo_rl, job.parallelism
    parts = {
        "weights, gradients": model.parameters * table.copy_bytes / cut.gpus_per_copy,
        "optimizer": model.parameters * table.sharded_bytes / gpus,
    }
    sources = [table.source]
    recipe = table.recipes.get(job.recipe)
    if recipe is not None:
        numbers = recipe.micro_batch * recipe.tokens * model.hidden * model.layers
        parts["activations"] = numbers * (table.layer_whole + table.layer_cut / cut.tensor)
        sources.append(table.layer_source)
    return (Need(stage="training", parts=parts, sources=tuple(sources)),)


def _inputs(model: ServedModelFacts, batch: int, tokens: int) -> float:
    """Of each layer, which every way of recomputing the rest keeps; bfloat16."""
    return model.layers * batch * tokens * model.hidden * 2


def _logits(model: ServedModelFacts, tokens: int) -> float:
    """bfloat16, once."""
    return 0 if model.vocabulary is None else tokens * model.vocabulary * 2
