"""What a stack with TPUs may be: nothing here is refused but a version that is too old."""

from typing import Any

import pytest

from stacks.config import validate
from tests.conftest import changed, stack_config
from tests.parts.preset_samples import ELASTIC, TPU_AUTOPILOT

FIXED, AUTOPILOT = stack_config("tpu-multislice"), TPU_AUTOPILOT
GROUP = "ray__maxtext-tpu-cluster__workers__tpu-group"
FIXED_JOB, ELASTIC_JOB = "jobs__maxtext-llama3-8b", "jobs__maxtext-elastic-8b"
WAYS: list[dict[str, Any]] = [
    {"mode": "on-demand"},
    {"mode": "spot"},
    {"mode": "flex-start"},
    {"mode": "reservation", "name": "r"},
]


def test_a_tpu_stack_may_be_on_autopilot() -> None:
    assert validate(AUTOPILOT)


@pytest.mark.parametrize("config", [FIXED, AUTOPILOT])
@pytest.mark.parametrize("capacity", WAYS, ids=lambda it: it["mode"])
def test_slices_can_be_had_in_these_ways(config: dict[str, Any], capacity: dict[str, Any]) -> None:
    assert validate(changed(config, **{"pools__v6e-16__capacity": capacity}))


def test_a_standard_stack_may_take_whatever_reservation_fits() -> None:
    assert validate(changed(FIXED, **{"pools__v6e-16__capacity": {"mode": "any-reservation"}}))


def test_a_nightly_image_goes_where_it_is_asked_for() -> None:
    image = "rayproject/ray:nightly-py312-tpu"
    assert validate(
        changed(
            FIXED,
            **{"ray__maxtext-tpu-cluster__image": image, "ray__maxtext-tpu-cluster__nightly": True},
        )
    )


def test_a_run_that_is_finished_leaves_other_names_free() -> None:
    assert validate(changed(FIXED, **{f"{FIXED_JOB}__finished_runs": ["other"]}))


def test_an_elastic_job_that_never_shrinks_may_be_cut_between_slices() -> None:
    config = changed(
        ELASTIC,
        **{
            f"{ELASTIC_JOB}__elastic__min_slices": 2,
            f"{ELASTIC_JOB}__dcn": {"data": 1, "fsdp": 2},
        },
    )
    assert validate(config)


def test_networks_between_slices_may_be_as_small_as_the_slices_allow() -> None:
    dcn = [{"name": "net-1", "range": "10.50.0.0/28"}]
    assert validate(changed(FIXED, network={"dcn": dcn}))


def test_on_autopilot_the_default_networks_between_slices_are_in_nobodys_way() -> None:
    assert validate(changed(AUTOPILOT, network={"pods": "10.50.0.0/16"}))
    smaller = {"machine_type": "ct6e-standard-1t", "topology": "1x1", "slices": 2}
    pod = {"cpu": 8, "memory_gib": 100}
    assert validate(
        changed(
            AUTOPILOT,
            jobs=None,
            **{"pools__v6e-16": smaller, f"{GROUP}__requests": pod},
        )
    )


@pytest.mark.parametrize("config", [FIXED, AUTOPILOT])
def test_a_stack_that_needs_a_version_and_names_none_has_the_locks(config: dict[str, Any]) -> None:
    def version(**values: Any) -> str:
        return str(validate(changed(config, **values)).gke_version)

    assert version() == "1.35"
    assert version(cluster__version="1.36") == "1.36"
    # Ahead of the other channels, and soon without their versions.
    assert version(cluster__release_channel="RAPID") == "None"


def test_slices_and_flags_may_come_as_text_as_the_cli_sets_them() -> None:
    flags = [{"name": "xla_a", "value": "true"}, {"name": "xla_b", "value": "3"}]
    config = validate(
        changed(FIXED, **{"pools__v6e-16__slices": "3", "pools__v6e-16__libtpu_flags": flags})
    )
    slices = config.pools["v6e-16"].config
    assert slices.slices == (0, 1, 2)
    assert [it.argument for it in slices.libtpu_flags or ()] == ["--xla_a=true", "--xla_b=3"]
