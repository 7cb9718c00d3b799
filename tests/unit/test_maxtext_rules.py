"""The rules of a MaxText job: each refuses what MaxText would, and what it offers is accepted."""

import re
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog import Catalog
from stacks.parts.jobs.maxtext import MaxTextTraining
from stacks.parts.jobs.maxtext_rules import Chips, maxtext_problems
from stacks.problems import Problem
from tests.conftest import changed
from tests.parts.preset_samples import TPU
from tests.programs import lines_of

# The tutorial's, which the libtpu of its day took.
FUSED = [
    {"name": "xla_tpu_enable_async_collective_fusion_multiple_steps", "value": "true"},
    {"name": "xla_tpu_enable_async_collective_fusion_fuse_all_gather", "value": "true"},
    {"name": "xla_enable_async_all_gather"},
]
OFF = {"name": "xla_tpu_enable_async_collective_fusion", "value": "false"}
GENERATIONS = {"v5e", "v5p", "v6e", "v7x"}
BASE = {"type": "maxtext", "model": "llama3-8b"}
FACTOR = st.integers(-1, 40)
NAMES = st.sampled_from(["job", "job-2", "job-3", "first"])
JOBS = st.fixed_dictionaries(
    {
        **{key: st.just(value) for key, value in BASE.items()},
        "run_name": st.none() | NAMES,
        "finished_runs": st.lists(NAMES, max_size=4),
        "steps": st.integers(1, 200),
        "checkpoint_period": st.integers(1, 200),
        "ici": st.fixed_dictionaries({"fsdp": FACTOR, "tensor": FACTOR, "data": FACTOR}),
        "dcn": st.fixed_dictionaries({"data": FACTOR, "fsdp": FACTOR}),
        "elastic": st.none()
        | st.fixed_dictionaries({"min_slices": st.integers(1, 9), "max_failures": st.just(3)}),
    }
)
CHIPS = st.sampled_from([1, 4, 8, 16, 32, 64, 192, 320, 576, 8960])


def problems(job: dict[str, Any], *, chips: int = 16, slices: int = 2) -> list[Problem]:
    checked = MaxTextTraining.model_validate(job)
    name = checked.run_name or "job"
    return list(maxtext_problems(checked, Chips(chips, slices, 32), run_name=name))


def accepting(job: dict[str, Any], problem: Problem) -> dict[str, Any]:
    """The job with the value that the problem offers."""
    offered = yaml.safe_load(problem.message.rpartition("; nearest: ")[2])
    path = problem.field.removeprefix("job.").replace(".", "__")
    return changed(job, **{path: offered})


def kind(problem: Problem) -> tuple[str, str]:
    """What is wrong, whatever the numbers."""
    return problem.field, re.sub(r"-?\d+", "0", problem.message)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"ici": {"fsdp": 4, "tensor": 4}},
        {"ici": {"fsdp": -1, "tensor": 4, "data": 2}},
        {"dcn": {"data": 1, "fsdp": 2}},
        {"dcn": {"data": 1, "fsdp": -1}},
        {"elastic": {}},
        {"elastic": {"min_slices": 2}, "dcn": {"data": 2}},
    ],
)
def test_a_job_that_fits_its_slices_breaks_no_rule(values: dict[str, Any]) -> None:
    assert not problems({**BASE, **values})


@settings(max_examples=500)
@given(job=JOBS, chips=CHIPS, slices=st.integers(1, 9))
def test_whatever_is_wrong_the_value_offered_for_a_field_is_right_for_that_rule(
    job: dict[str, Any], chips: int, slices: int
) -> None:
    for found in problems(job, chips=chips, slices=slices):
        after = problems(accepting(job, found), chips=chips, slices=slices)
        assert kind(found) not in [kind(it) for it in after]


@settings(max_examples=300)
@given(job=JOBS, chips=CHIPS, slices=st.integers(1, 9))
def test_whoever_takes_what_is_offered_soon_has_a_job_that_is_right(
    job: dict[str, Any], chips: int, slices: int
) -> None:
    for _ in range(12):
        found = problems(job, chips=chips, slices=slices)
        if not found:
            return
        job = accepting(job, found[0])
    raise AssertionError(job)


@pytest.mark.parametrize(
    "values",
    [
        {"pools__v6e-16__libtpu_flags": FUSED[:2]},
        {"pools__v6e-16__libtpu_flags": [{**FUSED[0], "value": "false"}, *FUSED[1:]]},
        {"pools__v6e-16__libtpu_flags": [*FUSED, OFF]},
        {"pools__v6e-16__libtpu_flags": FUSED, "jobs__maxtext-llama3-8b__install_maxtext": False},
    ],
    ids=["two of three", "one off", "all off", "an image's own MaxText"],
)
def test_flags_that_libtpu_compiles_with_are_not_refused(values: dict[str, Any]) -> None:
    assert not [it for it in lines_of(changed(TPU, **values)) if "libtpu_flags" in it]


def test_of_three_flags_that_are_refused_together_v5e_takes_all() -> None:
    (refused,) = Catalog.load().maxtext.refused_flags
    given = dict.fromkeys(refused.flags, "true")
    assert {it for it in GENERATIONS if refused.met_by(it, given)} == GENERATIONS - {"v5e"}
