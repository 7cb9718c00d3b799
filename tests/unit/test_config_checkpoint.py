"""Bad input of checkpoint trainings and of the smallest stack: each mistake with its field and what
works, and no mistake that is none."""

from typing import Any

import pytest
from stacks.checkpoint_training_config import CheckpointTraining

from stacks.config import validate
from tests.conftest import changed, stack_config
from tests.unit.bad_configs_checkpoint import BAD_CHECKPOINT, BAD_QUEUED_RAY
from tests.unit.test_config import assert_named, mistakes

CHECKPOINT, DEV = stack_config("gcsfuse-checkpoint"), stack_config("dev")
BAD = [
    *((CHECKPOINT, *one) for one in BAD_CHECKPOINT),
    *((DEV, *one) for one in BAD_QUEUED_RAY),
]


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


@pytest.mark.parametrize("config", [CHECKPOINT, DEV], ids=["gcsfuse-checkpoint", "dev"])
def test_the_stack_needs_no_secret(config: dict[str, Any]) -> None:
    assert validate(config)


@pytest.mark.parametrize("data", ["generated", "data/bees", "https://example.com/bees.zip"])
def test_data_is_generated_or_on_the_bucket_or_comes_from_elsewhere(data: str) -> None:
    assert validate(changed(CHECKPOINT, job__data=data))


def test_ray_installs_what_the_lock_has_unless_the_image_has_it() -> None:
    config = validate(CHECKPOINT)
    assert isinstance(config, CheckpointTraining)
    assert [it.partition("==")[0] for it in config.packages] == ["torch", "torchvision"]
    own = validate(changed(CHECKPOINT, job__install_torch=False))
    assert isinstance(own, CheckpointTraining)
    assert own.packages == ()


def test_the_smallest_stack_may_be_without_queues() -> None:
    assert validate(changed(DEV, kueue=None, ray__queue=None))


def test_ray_may_queue_where_it_scales_and_where_it_does_not() -> None:
    flavors = {"cpu": {"pool": "cpu_pool"}, "l4": {"pool": "gpu_pool"}}
    unscaled = changed(DEV, ray__autoscaling=None, kueue__flavors=flavors)
    assert validate(changed(unscaled, ray__queue="lq"))
    assert validate(changed(unscaled, ray__queue="lq", ray__autoscaling={}))
