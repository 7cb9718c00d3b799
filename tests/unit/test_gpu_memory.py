"""What trainings on GPUs keep in memory, by arithmetic, and which that refuses.

It cannot show that a job which passes fits: no GPU was asked.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from pydantic import TypeAdapter

from catalog import Catalog
from catalog.accelerators import AcceleratorTable, usable_gib
from catalog.machines import Accelerator
from catalog.table import load_table
from stacks.config import ConfigError, validate
from stacks.parts.jobs.config import FineTuning, NemoRlJob, VerlTraining
from stacks.parts.jobs.gpu_memory import GpuTraining, checkpoint_of, known_model, needs_of
from stacks.parts.jobs.gpu_memory_rules import Gpus, gpu_memory_problems, gpus_of
from stacks.plan import Plan
from stacks.problems import Problem
from tests.conftest import changed
from tests.parts import samples

FACTS = Catalog.load()
GIB = 2**30
JOB: TypeAdapter[GpuTraining] = TypeAdapter(VerlTraining | NemoRlJob | FineTuning)
VERL: dict[str, Any] = {"type": "verl"}
TUNING: dict[str, Any] = {"type": "fine-tune"}
NEMO: dict[str, Any] = {
    "type": "nemo-rl",
    "model": "Qwen/Qwen2.5-72B-Instruct",
    "converter": "Qwen2ForCausalLM",
    "dataset": "DeepScaler",
    "max_steps": 20,
    "prompts_per_step": 64,
    "generations_per_prompt": 32,
    "train_global_batch_size": 512,
    "checkpoints": {"directory": "here"},
}
# GiB that programs have of a GPU.
B200, H200, L4 = 178.36, 139.81, 22.49


def accelerator_of(plan: Plan, pool: str) -> Accelerator:
    found = plan.pools[pool].machine.accelerator
    assert found is not None
    return found


def problems(job: dict[str, Any], count: int, memory_gib: float) -> list[Problem]:
    gpus = Gpus(count=count, memory_gib=memory_gib)
    return list(gpu_memory_problems(FACTS, JOB.validate_python(job), gpus))


@pytest.mark.parametrize(
    ("model", "mlp", "norms", "biases", "tied"),
    [
        ("google/gemma-2-2b", 9216, 4, False, True),
        ("google/gemma-2-9b", 14336, 4, False, True),
        ("google/gemma-2-27b", 36864, 4, False, True),
        ("meta-llama/Llama-3.1-8B", 14336, 2, False, False),
        ("meta-llama/Llama-3.1-70B", 28672, 2, False, False),
        ("Qwen/Qwen2.5-7B-Instruct", 18944, 2, True, False),
        ("Qwen/Qwen2.5-32B-Instruct", 27648, 2, True, False),
        ("Qwen/Qwen2.5-72B-Instruct", 29568, 2, True, False),
    ],
)
def test_a_vocabulary_makes_up_the_parameters_that_the_catalog_counts(
    model: str, mlp: int, norms: int, biases: bool, tied: bool
) -> None:
    it = FACTS.served_models.models[model]
    assert it.vocabulary is not None
    query, key_value = it.heads * it.head_width, it.kv_heads * it.head_width
    layer = 2 * it.hidden * (query + key_value) + 3 * it.hidden * mlp + norms * it.hidden
    layer += (query + 2 * key_value) if biases else 0
    embeddings = it.vocabulary * it.hidden * (1 if tied else 2)
    assert it.layers * layer + embeddings + it.hidden == it.parameters


def test_fsdp_keeps_sixteen_bytes_a_parameter_over_all_gpus() -> None:
    job = JOB.validate_python(VERL)
    training, generation, _ = needs_of(FACTS, job, gpus=16, memory_gib=B200)
    assert training.parts["weights, optimizer, gradients"] == 32_763_876_352 * 16 / 16
    # 64 sequences of 1024 tokens, in 64 layers of 5120 numbers with two bytes each.
    assert training.parts["layers' inputs"] == 64 * 64 * 1024 * 5120 * 2
    assert training.parts["logits"] == 64 * 1024 * 152_064 * 2
    assert generation.parts["vLLM's share"] == pytest.approx(0.6 * B200 * GIB)


def test_verl_has_logits_of_whole_micro_batches_when_it_computes_probabilities() -> None:
    values = {"rollout": {"log_prob_micro_batch_size_per_gpu": 100}}
    job = JOB.validate_python({**VERL, **values})
    *_, need = needs_of(FACTS, job, gpus=16, memory_gib=H200)
    assert need.stage == "probabilities"
    # No gradients, and 100 samples of 1024 tokens with a number for each word.
    assert need.parts["weights, optimizer"] == 32_763_876_352 * 12 / 16
    assert need.parts["logits"] == 100 * 1024 * 152_064 * 2
    # A GPU has no more than its part of 256 prompts with 8 samples each.
    values = {"rollout": {"log_prob_micro_batch_size_per_gpu": 512}}
    *_, need = needs_of(FACTS, JOB.validate_python({**VERL, **values}), gpus=16, memory_gib=H200)
    assert need.parts["logits"] == 128 * 1024 * 152_064 * 2


def test_the_policy_at_its_start_is_a_stage_where_its_divergence_is_in_the_loss() -> None:
    divergence = {"loss": True, "reference_micro_batch_size_per_gpu": 2}
    job = JOB.validate_python({**VERL, "divergence": divergence})
    *_, need = needs_of(FACTS, job, gpus=16, memory_gib=H200)
    assert need.stage == "reference probabilities"
    assert need.parts["logits"] == 2 * 1024 * 152_064 * 2


def test_programs_have_less_of_a_gpu_than_its_label_says_and_some_devices_more() -> None:
    found = [it.accelerator for it in FACTS.machines.values() if it.accelerator]
    machines = {it.type: it for it in found}
    assert set(machines) == set(load_table(AcceleratorTable, "accelerators").usable)
    have = {name: usable_gib(it) for name, it in machines.items()}
    assert have["nvidia-h200-141gb"] == 139.81 < machines["nvidia-h200-141gb"].memory_gib
    assert have["tpu-v5p-slice"] == 95.74 > machines["tpu-v5p-slice"].memory_gib
    assert (have["tpu-v5-lite-podslice"], usable_gib(machines["tpu7x"], 2)) == (15.75, 94.75)
    # Of a config's own machine type nothing else is known.
    own = machines["nvidia-l4"].model_copy(update={"type": "nvidia-next", "memory_gib": 300})
    assert (usable_gib(own), usable_gib(own, 2)) == (300, 150)


def test_rules_of_trainings_and_servers_take_what_programs_have() -> None:
    plan = validate(samples.VERL)
    (job,) = plan.stack.jobs.values()
    assert isinstance(job, VerlTraining)
    assert gpus_of(plan, "grpo", job).memory_gib == usable_gib(accelerator_of(plan, "gpu"))
    # Gemma 2 27B has 25.4 GiB of weights on each of two L4.
    large = changed(samples.SERVE_ALONE, servers__gemma__model="google/gemma-2-27b-it")
    large = changed(large, servers__gemma__engine="vllm")
    # By its label a GPU has 24 GiB, of which vLLM's share would be 22.1.
    with pytest.raises(ConfigError, match=r"of whose 22\.49 GiB vLLM takes 20\.7"):
        validate(large, secrets_set=frozenset({"hugging_face_token"}))


def test_megatron_keeps_the_optimizer_over_all_gpus_and_the_rest_over_those_of_a_copy() -> None:
    (need,) = needs_of(FACTS, JOB.validate_python(NEMO), gpus=64, memory_gib=B200)
    assert need.parts["weights, gradients"] == 72_706_203_648 * 4 / 16
    assert need.parts["optimizer"] == 72_706_203_648 * 12 / 64
    # Korthikanti et al.: a layer keeps tokens x hidden x (10 + 24 / tensor) bytes.
    assert need.parts["activations"] == 4096 * 8192 * 80 * (10 + 24 / 4)


def test_of_a_recipe_that_the_catalog_does_not_know_activations_are_left_out() -> None:
    job = JOB.validate_python({**NEMO, "recipe": "examples/configs/mine.yaml"})
    (need,) = needs_of(FACTS, job, gpus=64, memory_gib=B200)
    assert "activations" not in need.parts


@pytest.mark.parametrize(
    ("job", "size"), [(VERL, 32_763_876_352 * 12), (NEMO, 72_706_203_648 * 14), (TUNING, None)]
)
def test_checkpoints_have_weights_and_moments_of_whole_models(
    job: dict[str, Any], size: int | None
) -> None:
    assert checkpoint_of(FACTS, JOB.validate_python(job)) == size


@pytest.mark.parametrize(
    ("job", "count", "memory", "field", "nearest"),
    [
        (
            {**VERL, "actor": {"micro_batch_size_per_gpu": 128}},
            16,
            H200,
            "job.actor.micro_batch_size_per_gpu",
            "64",
        ),
        (
            {**VERL, "rollout": {"gpu_memory_utilization": 0.9}},
            16,
            H200,
            "job.rollout.gpu_memory_utilization",
            "0.83",
        ),
        ({**VERL, "model": "Qwen/Qwen2.5-72B-Instruct"}, 4, H200, "job.model", None),
        (
            {**NEMO, "parallelism": {"tensor": 1, "pipeline": 2}},
            64,
            B200,
            "job.parallelism",
            "{tensor: 4, pipeline: 1}",
        ),
        # Six parts would do, but for its 8 heads of keys and its 80 layers.
        (
            {**NEMO, "parallelism": {"tensor": 1, "pipeline": 2}},
            24,
            B200,
            "job.model",
            "Qwen/Qwen2.5-32B-Instruct",
        ),
        ({**TUNING, "model": "google/gemma-2-27b"}, 1, L4, "job.model", None),
    ],
)
def test_what_cannot_fit_names_the_nearest_that_does(
    job: dict[str, Any], count: int, memory: float, field: str, nearest: str | None
) -> None:
    (found,) = problems(job, count, memory)
    offered = found.message.rpartition("; nearest: ")[2].removesuffix(", or more GPUs")
    assert (found.field, offered) == (field, nearest or offered)
    path = found.field.removeprefix("job.").replace(".", "__")
    assert not problems(changed(job, **{path: yaml.safe_load(offered)}), count, memory)


def test_where_no_model_fits_the_job_is_left_out() -> None:
    (found,) = problems({**VERL, "model": "google/gemma-2-27b"}, 1, 1)
    assert found.field == "job"
    assert found.message.endswith("nearest: leave it out")


@pytest.mark.parametrize("model", ["me/mine", "openai/gpt-oss-20b"])
def test_a_model_that_is_not_known_is_not_judged(model: str) -> None:
    job = JOB.validate_python({**VERL, "model": model})
    assert known_model(FACTS, job) is None
    assert checkpoint_of(FACTS, job) is None
    assert not problems({**VERL, "model": model}, 1, 1)


def test_what_can_fit_is_not_refused() -> None:
    assert not problems(VERL, 16, H200)
    assert not problems(NEMO, 64, B200)
    assert not problems(TUNING, 1, L4)
