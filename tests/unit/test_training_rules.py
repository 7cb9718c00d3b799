"""The rules of a NeMo RL job: what is offered for a wrong value breaks the rule no more."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stacks.parts.jobs.divisors import divisors
from stacks.parts.jobs.nemo_rl import NemoRlJob
from stacks.parts.jobs.nemo_rl_rules import nemo_rl_problems
from stacks.problems import Problem
from tests.conftest import changed

SIZES = st.integers(1, 300)
JOBS = st.fixed_dictionaries(
    {
        "type": st.just("nemo-rl"),
        "model": st.just("a/b"),
        "converter": st.just("Qwen2ForCausalLM"),
        "dataset": st.just("DeepScaler"),
        "max_steps": SIZES,
        "prompts_per_step": SIZES,
        "generations_per_prompt": SIZES,
        "train_global_batch_size": SIZES,
        "parallelism": st.fixed_dictionaries({"tensor": st.just(1), "pipeline": st.just(1)}),
        "checkpoints": st.fixed_dictionaries({"directory": st.just("runs"), "period": SIZES}),
    }
)


def problems(job: dict[str, Any], gpus: int) -> list[Problem]:
    return list(nemo_rl_problems(NemoRlJob.model_validate(job), gpus, wandb_key=False))


def kind(problem: Problem) -> tuple[str, str]:
    """What is wrong, whatever the numbers."""
    return problem.field, re.sub(r"\d+", "0", problem.message)


@settings(max_examples=300)
@given(job=JOBS, gpus=st.integers(1, 80))
def test_whatever_is_wrong_the_value_offered_for_a_field_is_right_for_that_rule(
    job: dict[str, Any], gpus: int
) -> None:
    for found in problems(job, gpus):
        path = found.field.removeprefix("job.").replace(".", "__")
        offered = int(found.message.rpartition(" ")[2])
        after = problems(changed(job, **{path: offered}), gpus)
        assert kind(found) not in [kind(it) for it in after]


@settings(max_examples=300)
@given(job=JOBS, gpus=st.integers(1, 80))
def test_taking_what_is_offered_comes_to_an_end(job: dict[str, Any], gpus: int) -> None:
    for _ in range(6):
        found = problems(job, gpus)
        if not found:
            return
        path = found[0].field.removeprefix("job.").replace(".", "__")
        job = changed(job, **{path: int(found[0].message.rpartition(" ")[2])})
    raise AssertionError(problems(job, gpus))


def test_the_largest_step_that_a_config_takes_is_judged_without_counting_to_it() -> None:
    job = {
        "type": "nemo-rl",
        "model": "a/b",
        "converter": "Qwen2ForCausalLM",
        "dataset": "DeepScaler",
        "max_steps": 10,
        "prompts_per_step": 2**20,
        "generations_per_prompt": 2**20,
        "train_global_batch_size": 2**20 - 1,
        "checkpoints": {"directory": "runs"},
    }
    (found,) = problems(job, 16)
    assert found.message.endswith(f"nearest: {2**19}")
    # Three copies cannot share a power of two evenly.
    (found,) = problems({**job, "train_global_batch_size": 2**20}, 48)
    assert found.field == "job.prompts_per_step"


def test_divisors_are_all_there_and_in_order() -> None:
    for number in range(1, 200):
        assert divisors(number) == [it for it in range(1, number + 1) if number % it == 0]
