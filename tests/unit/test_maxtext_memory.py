"""What a MaxText training needs of a chip, by arithmetic, and which jobs that refuses.

It cannot show that a job which passes fits: only a compilation for the chips can. What the bound is
held against, compilers counted (catalog/data/maxtext.yaml).
"""

from typing import Any

import pytest
import yaml

from catalog import Catalog, ChipMemory
from catalog.models import CompiledStep
from stacks.parts.jobs.maxtext import MaxTextTraining
from stacks.parts.jobs.maxtext_rules import Chips, LargerSlices, memory_problems
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


LARGER = LargerSlices("pools.tpu.topology", {"4x8": 32, "8x8": 64, "8x16": 128})


NONE_LARGER = LargerSlices("", {})


def problems(
    job: dict[str, Any],
    a_slice: int,
    slices: int,
    memory_gib: int,
    larger: LargerSlices = NONE_LARGER,
) -> list[Problem]:
    chips = Chips(a_slice, slices, memory_gib)
    return list(memory_problems(TABLE, MaxTextTraining.model_validate(job), chips, larger))


def needs(model: str, shards: int, batch: int, tokens: int, remat_policy: str | None) -> ChipMemory:
    return TABLE.needs(model, shards=shards, batch=batch, tokens=tokens, remat_policy=remat_policy)


@pytest.mark.parametrize(
    ("model", "parameters"),
    [("llama3-8b", 8_030_261_248), ("llama3.1-70b", 70_553_706_496)],
)
def test_a_model_has_as_many_parameters_as_its_makers_say(model: str, parameters: int) -> None:
    assert TABLE.models[model].parameters == parameters


def test_every_model_that_a_job_can_name_has_a_size() -> None:
    named = MaxTextTraining.model_json_schema()["properties"]["model"]["enum"]
    assert sorted(named) == sorted(TABLE.models)


@pytest.mark.parametrize("step", TABLE.compiled, ids=lambda it: f"{it.model}-{it.gib}")
def test_the_bound_is_no_more_than_a_compiler_counted_and_no_compiler_counts_half_as_much_again(
    step: CompiledStep,
) -> None:
    bound = needs(step.model, step.shards, step.batch, step.tokens, step.remat_policy).bytes / GIB
    assert bound < step.gib < 1.5 * bound


@pytest.mark.parametrize(
    ("batch", "remat_policy", "least", "most"),
    [
        # By hand: 12 bytes a parameter, 32 inputs of layers, and logits of 2 to 3.7 bytes.
        (4, None, 13.5, 19),
        (23, None, 51.1, 71.7),
        # A layer keeps 38,912 numbers a token, which the way back reads.
        (4, "minimal", 51.5, 72),
        (4, "save_qkv_proj", 19.5, 27.4),
    ],
)
def test_logits_and_what_a_remat_policy_saves_are_counted(
    batch: int, remat_policy: str | None, least: float, most: float
) -> None:
    found = needs("llama3-8b", 16, batch, 4096, remat_policy)
    assert found.bytes / GIB == pytest.approx(least, abs=0.05)
    assert found.bytes * TABLE.margin / GIB == pytest.approx(most, abs=1)


def test_logits_are_the_same_for_every_cut_of_the_weights() -> None:
    sizes = {needs("llama3-8b", shards, 4, 4096, None).logits for shards in (1, 16, 256)}
    assert sizes == {4 * 4096 * 128256 * 2}


def test_gradients_come_after_logits_so_that_the_larger_counts() -> None:
    few, many = (needs("llama3-70b", 32, batch, 4096, "full") for batch in (2, 20))
    assert few.bytes == few.state + few.inputs + few.gradients
    assert many.bytes == many.state + many.inputs + many.logits
    assert (list(few.parts)[-1], list(many.parts)[-1]) == ("gradients", "logits")
    assert sum(few.parts.values()) == few.bytes


def test_the_scenarios_70b_needs_more_than_its_chips_have_and_no_more_than_a_compiler_counted() -> (
    None
):
    needed = needs("llama3-70b", 32, 2, 4096, "full").bytes
    assert needed / GIB == pytest.approx(42.85, abs=0.01)
    # MaxText's train_compile for two slices v6e-16: "Used 50.02G of 31.25G".
    assert 31.25 * GIB < needed < 50.02 * GIB


def test_checkpoints_of_a_model_have_its_weights_and_both_moments() -> None:
    assert TABLE.checkpoint("llama3-8b") / 1e9 == pytest.approx(96.4, abs=0.1)
    assert TABLE.checkpoint("llama3-70b") / 1e9 == pytest.approx(846.6, abs=0.1)


def test_the_scenarios_70b_is_refused_with_what_it_needs_and_the_topology_that_holds_it() -> None:
    (found,) = problems(LARGE, 16, 2, V6E, LARGER)
    assert found.field == "pools.tpu.topology"
    assert found.message == (
        "llama3-70b needs at least 42.9 GiB of a chip that has 32: 24.6 of weights and optimizer, "
        "10.0 of layers' inputs, 8.2 of gradients; weights are cut over 32 chips. `aistack fit` "
        "compiles what is nearest; nearest: 4x8 with ici {fsdp: -1, tensor: 4} and "
        "per_device_batch_size 1"
    )
    larger = {**LARGE, "ici": {"fsdp": -1, "tensor": 4}, "per_device_batch_size": 1}
    assert problems(larger, LARGER.chips["4x8"], 2, V6E) == []


def test_a_topology_that_the_cut_does_not_divide_is_not_offered() -> None:
    larger = LargerSlices("pools.tpu.topology", {"4x4x5": 80, "4x4x6": 96})
    (found,) = problems({**LARGE, "ici": {"fsdp": -1, "tensor": 12}}, 12, 2, V6E, larger)
    assert found.message.endswith("nearest: 4x4x6 with ici {fsdp: -1, tensor: 12}")


def test_a_smaller_batch_and_another_cut_go_before_a_larger_topology() -> None:
    job = {**LARGE, "dcn": {"data": -1}}
    (found,) = problems(job, 64, 2, V5E, LARGER)
    assert found.field == "job.dcn"
    assert found.message.endswith("nearest: {data: 1, fsdp: -1} with per_device_batch_size 1")
    assert not problems(
        {**job, "dcn": {"data": 1, "fsdp": -1}, "per_device_batch_size": 1}, 64, 2, V5E
    )


@pytest.mark.parametrize("job", [SMALL, {**SMALL, "max_target_length": 2**20}])
def test_of_a_model_that_one_chip_cannot_hold_the_model_is_named(job: dict[str, Any]) -> None:
    (found,) = problems(job, 1, 1, V5E)
    assert found.field == "job.model"
    assert found.message.endswith("nearest: larger machines, or no such job")


def test_of_a_model_that_no_slice_holds_no_other_model_is_offered() -> None:
    (found,) = problems({**LARGE, "dcn": {}, "ici": {}, "elastic": {}}, 32, 4, V6E)
    assert found.field == "job.model"
    near = "larger machines, or no such job"
    assert found.message.endswith(f", and no larger slice holds it; nearest: {near}")


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
        ({**SMALL, "per_device_batch_size": 64}, (16, 2, V6E), "job.per_device_batch_size", "8"),
        ({**SMALL, "max_target_length": 65536}, (16, 2, V6E), "job.max_target_length", "8192"),
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
