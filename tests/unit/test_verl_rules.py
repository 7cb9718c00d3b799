"""The rules of a verl job: each refuses what verl would, and what it offers instead is accepted."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stacks.parts.jobs.rules import socket_problems
from stacks.parts.jobs.verl import VerlTraining
from stacks.parts.jobs.verl_rules import verl_problems
from stacks.problems import Problem
from tests.conftest import changed

INTERFACES = ("eth0", "eth1")
SIZES = st.integers(1, 600)
JOBS = st.fixed_dictionaries(
    {
        "type": st.just("verl"),
        "epochs": st.integers(1, 3),
        "train_batch_size": st.integers(1, 9000),
        "max_prompt_length": st.integers(1, 9000),
        "max_response_length": st.integers(1, 9000),
        "rollout": st.fixed_dictionaries({"samples": SIZES, "tensor_parallel": st.integers(1, 12)}),
        "actor": st.fixed_dictionaries(
            {"mini_batch_size": st.integers(1, 9000), "micro_batch_size_per_gpu": SIZES}
        ),
        "checkpoints": st.fixed_dictionaries({"period": SIZES}),
    }
)


def problems(job: dict[str, Any], *, gpus: int = 8, nodes: int = 2) -> list[Problem]:
    checked = VerlTraining.model_validate(job)
    return [
        *verl_problems(checked, gpus_per_node=gpus, nodes=nodes),
        *socket_problems("job.socket_interface", checked.socket_interface, INTERFACES),
    ]


def offered(problem: Problem) -> int | str:
    found = re.search(r"nearest: (\S+)$", problem.message)
    assert found, problem
    return int(found[1]) if found[1].isdigit() else found[1]


def kind(problem: Problem) -> tuple[str, str]:
    """What is wrong, whatever the numbers."""
    return problem.field, re.sub(r"\d+", "0", problem.message)


def test_the_scenarios_job_breaks_no_rule() -> None:
    assert not problems({"type": "verl"})


@settings(max_examples=400)
@given(job=JOBS, gpus=st.integers(1, 8), nodes=st.integers(1, 9))
def test_whatever_is_wrong_the_value_offered_for_a_field_is_right_for_that_rule(
    job: dict[str, Any], gpus: int, nodes: int
) -> None:
    for found in problems(job, gpus=gpus, nodes=nodes):
        path = found.field.removeprefix("job.").replace(".", "__")
        after = problems(changed(job, **{path: offered(found)}), gpus=gpus, nodes=nodes)
        assert kind(found) not in [kind(it) for it in after]
