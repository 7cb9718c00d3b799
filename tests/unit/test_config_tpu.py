"""Bad input of the TPU stacks: each mistake with its field and what works, and no mistake that is
none."""

from typing import Any

import pytest
from stacks.tpu_training_config import TpuTraining

from stacks.config import validate
from tests.conftest import changed, kind_of, stack_config
from tests.unit.bad_configs_maxtext import BAD_ELASTIC, BAD_JOB
from tests.unit.bad_configs_tpu import BAD_TPU, BAD_TPU_AUTOPILOT
from tests.unit.stack_graphs import TPU_AUTOPILOT
from tests.unit.test_config import assert_named, mistakes

FIXED, ELASTIC = stack_config("tpu-multislice"), stack_config("tpu-elastic")
AUTOPILOT = changed(FIXED, **TPU_AUTOPILOT)
BAD = [
    *((FIXED, *one) for one in (*BAD_TPU, *BAD_JOB)),
    *((ELASTIC, *one) for one in BAD_ELASTIC),
    *((AUTOPILOT, *one) for one in BAD_TPU_AUTOPILOT),
]
WAYS: list[dict[str, Any]] = [
    {"mode": "on-demand"},
    {"mode": "spot"},
    {"mode": "flex-start"},
    {"mode": "reservation", "name": "r"},
]


@pytest.mark.parametrize("config", [FIXED, ELASTIC, AUTOPILOT])
def test_the_configs_of_the_tpu_stacks_are_right_and_need_no_secret(config: dict[str, Any]) -> None:
    assert kind_of(validate(config)) == "tpu-training"


@pytest.mark.parametrize(("config", "values", "field", "end"), BAD)
def test_bad_input_names_the_field_and_the_nearest_that_works(
    config: dict[str, Any], values: dict[str, Any], field: str, end: str
) -> None:
    assert_named(mistakes(changed(config, **values)), field, end)


@pytest.mark.parametrize(("config", "values", "field", "end"), BAD)
def test_a_mistake_is_told_once(
    config: dict[str, Any], values: dict[str, Any], field: str, end: str
) -> None:
    fields = [line.partition(": ")[0] for line in mistakes(changed(config, **values))]
    assert fields.count(field) == 1


@pytest.mark.parametrize("config", [FIXED, AUTOPILOT])
@pytest.mark.parametrize("capacity", WAYS, ids=lambda it: it["mode"])
def test_slices_can_be_had_in_these_ways(config: dict[str, Any], capacity: dict[str, Any]) -> None:
    assert validate(changed(config, tpu__capacity=capacity))


def test_a_standard_stack_may_take_whatever_reservation_fits() -> None:
    assert validate(changed(FIXED, tpu__capacity={"mode": "any-reservation"}))


def test_a_nightly_image_goes_where_it_is_asked_for() -> None:
    image = "rayproject/ray:nightly-py312-tpu"
    assert validate(changed(FIXED, ray__image=image, ray__nightly=True))


def test_a_run_that_is_finished_leaves_other_names_free() -> None:
    assert validate(changed(FIXED, job__finished_runs=["other"]))


def test_an_elastic_job_that_never_shrinks_may_be_cut_between_slices() -> None:
    config = changed(ELASTIC, job__elastic__min_slices=2, job__dcn={"data": 1, "fsdp": 2})
    assert validate(config)


def test_networks_between_slices_may_be_as_small_as_the_slices_allow() -> None:
    dcn = [{"name": "net-1", "range": "10.50.0.0/28"}]
    assert validate(changed(FIXED, network={"dcn": dcn}))


def test_on_autopilot_the_default_networks_between_slices_are_in_nobodys_way() -> None:
    assert validate(changed(AUTOPILOT, network={"pods": "10.50.0.0/16"}))
    smaller = {"machine_type": "ct6e-standard-1t", "topology": "1x1", "slices": 2}
    pod = {"cpu": 8, "memory_gib": 100}
    assert validate(changed(AUTOPILOT, tpu=smaller, ray__worker__requests=pod, job=None))


@pytest.mark.parametrize("config", [FIXED, AUTOPILOT])
def test_a_stack_that_needs_a_version_and_names_none_has_the_locks(config: dict[str, Any]) -> None:
    def version(**values: Any) -> str:
        return str(validate(changed(config, **values)).gke_version)

    assert version() == "1.35"
    assert version(cluster__version="1.36") == "1.36"
    # Ahead of the other channels, and soon without their versions.
    assert version(cluster__release_channel="RAPID") == "None"


@pytest.mark.parametrize("config", [FIXED, AUTOPILOT])
def test_the_version_that_is_offered_is_accepted(config: dict[str, Any]) -> None:
    (line,) = mistakes(changed(config, cluster__version="1.28.0"))
    offered = line.rpartition("nearest: ")[2]
    assert validate(changed(config, cluster__version=offered))


def test_slices_and_flags_may_come_as_text_as_the_cli_sets_them() -> None:
    flags = [{"name": "xla_a", "value": "true"}, {"name": "xla_b", "value": "3"}]
    config = validate(changed(FIXED, tpu__slices="3", tpu__libtpu_flags=flags))
    assert isinstance(config, TpuTraining)
    assert config.tpu.slices == (0, 1, 2)
    assert [it.argument for it in config.tpu.libtpu_flags] == ["--xla_a=true", "--xla_b=3"]
