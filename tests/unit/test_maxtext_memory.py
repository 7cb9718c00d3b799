"""What a MaxText training needs of a chip, by arithmetic, and which jobs that refuses.

It cannot show that a job which passes fits: only a compilation for the chips can.
"""

from typing import Any

import pytest
import yaml

from catalog import Catalog
from stacks.parts.jobs.maxtext import MaxTextTraining
from stacks.parts.jobs.maxtext_rules import Chips, memory_problems
from stacks.problems import Problem
from tests.conftest import changed

TABLE = Catalog.load().maxtext
GIB = 2**30
V6E, V5E, V5P = 32, 16, 95
LARGE: dict[str, Any] = {
    "type": "maxtext",
    "model": "llama3-70b",
    "per_device_batch_size": 2,
    "ici": {"fsdp": 4, "tensor": 4},
    "dcn": {"data": 1, "fsdp": 2},
    "remat_policy": "full",
}
SMALL: dict[str, Any] = {"type": "maxtext", "model": "llama3-8b"}


def problems(job: dict[str, Any], a_slice: int, slices: int, memory_gib: int) -> list[Problem]:
    chips = Chips(a_slice, slices, memory_gib)
    return list(memory_problems(TABLE, MaxTextTraining.model_validate(job), chips))


@pytest.mark.parametrize(
    ("model", "parameters"),
    [("llama3-8b", 8_030_261_248), ("llama3.1-70b", 70_553_706_496)],
)
def test_a_model_has_as_many_parameters_as_its_makers_say(model: str, parameters: int) -> None:
    assert TABLE.models[model].parameters == parameters


def test_every_model_that_a_job_can_name_has_a_size() -> None:
    named = MaxTextTraining.model_json_schema()["properties"]["model"]["enum"]
    assert sorted(named) == sorted(TABLE.models)


def test_the_scenarios_70b_needs_more_than_its_chips_have_and_no_more_than_a_compiler_counted() -> (
    None
):
    needed = TABLE.state("llama3-70b", 32) + TABLE.activations("llama3-70b", 2, 4096)
    assert needed / GIB == pytest.approx(42.85, abs=0.01)
    # MaxText's train_compile for two slices v6e-16: "Used 50.02G of 31.25G".
    assert 31.25 * GIB < needed < 50.02 * GIB


def test_checkpoints_of_a_model_have_its_weights_and_both_moments() -> None:
    assert TABLE.checkpoint("llama3-8b") / 1e9 == pytest.approx(96.4, abs=0.1)
    assert TABLE.checkpoint("llama3-70b") / 1e9 == pytest.approx(846.6, abs=0.1)


def test_the_scenarios_70b_is_refused_with_what_it_needs_and_how_many_chips_would_do() -> None:
    (found,) = problems(LARGE, 16, 2, V6E)
    assert found.field == "job.model"
    assert found.message == (
        "llama3-70b needs 42.9 GiB of a chip that has 32: 32.9 of weights, optimizer and gradients "
        "cut over 32 chips, 10.0 of activations; 48 such chips would do, cut by fsdp or tensor; "
        "nearest: llama3-8b"
    )


@pytest.mark.parametrize(
    ("job", "sizes", "field", "nearest"),
    [
        # Copies within a slice, and between slices.
        (
            {**SMALL, "ici": {"data": 16, "fsdp": 1}},
            (16, 2, V6E),
            "job.ici",
            "{fsdp: -1, tensor: 1, data: 1}",
        ),
        ({**LARGE, "dcn": {}, "ici": {}}, (32, 4, V6E), "job.dcn", "{data: 1, fsdp: -1}"),
        ({**LARGE, "dcn": {}, "ici": {}, "elastic": {}}, (32, 4, V6E), "job.model", "llama3-8b"),
        ({**SMALL, "per_device_batch_size": 64}, (16, 2, V6E), "job.per_device_batch_size", "24"),
        ({**SMALL, "max_target_length": 65536}, (16, 2, V6E), "job.per_device_batch_size", "1"),
        ({**LARGE, "dcn": {"data": -1}}, (64, 2, V5E), "job.model", "llama3-8b"),
        (SMALL, (1, 1, V5E), "job", "leave it out"),
        ({**SMALL, "max_target_length": 2**20}, (1, 1, V5E), "job", "leave it out"),
    ],
)
def test_what_cannot_fit_names_the_nearest_that_does(
    job: dict[str, Any], sizes: tuple[int, int, int], field: str, nearest: str
) -> None:
    (found,) = problems(job, *sizes)
    offered = found.message.rpartition("; nearest: ")[2]
    assert (found.field, offered) == (field, nearest)
    if found.field != "job":
        path = found.field.removeprefix("job.")
        assert not problems(changed(job, **{path: yaml.safe_load(offered)}), *sizes)


@pytest.mark.parametrize(
    ("job", "sizes"),
    [
        ({**LARGE, "per_device_batch_size": 1, "ici": {"fsdp": 8, "tensor": 4}}, (32, 2, V6E)),
        ({**LARGE, "dcn": {}, "ici": {}}, (64, 2, V6E)),
        ({**SMALL, "ici": {"fsdp": 4, "tensor": 4}}, (16, 2, V6E)),
        ({**SMALL, "ici": {"data": -1, "fsdp": 16}}, (256, 1, V6E)),
        (LARGE, (16, 2, V5P)),
        (SMALL, (8960, 9999, V5P)),
    ],
)
def test_what_can_fit_is_not_refused(job: dict[str, Any], sizes: tuple[int, int, int]) -> None:
    assert not problems(job, *sizes)
