"""What a checkpoint training and the smallest stack may be: nothing here is refused."""

import pytest

from stacks.config import validate
from tests.conftest import changed, stack_config

CHECKPOINT, DEV = stack_config("gcsfuse-checkpoint"), stack_config("dev")
JOB = "jobs__pytorch-image-classifier"
FLAVORS = {"cpu": {"pool": "cpu"}, "l4": {"pool": "gpu"}}


@pytest.mark.parametrize("data", ["generated", "data/bees", "https://example.com/bees.zip"])
def test_data_is_generated_or_on_the_bucket_or_comes_from_elsewhere(data: str) -> None:
    assert validate(changed(CHECKPOINT, **{f"{JOB}__data": data}))


def test_ray_installs_what_the_lock_has_unless_the_image_has_it() -> None:
    (ray,) = validate(CHECKPOINT).ray.values()
    assert [it.partition("==")[0] for it in ray.demands.packages] == ["torch", "torchvision"]
    (own,) = validate(changed(CHECKPOINT, **{f"{JOB}__install_torch": False})).ray.values()
    assert own.demands.packages == ()


def test_the_smallest_stack_may_be_without_queues() -> None:
    assert validate(changed(DEV, queues=None, ray__dev__queue=None))


def test_ray_may_queue_where_it_scales_and_where_it_does_not() -> None:
    queued = changed(DEV, queues__flavors=FLAVORS, ray__dev__queue="lq")
    assert validate(changed(queued, ray__dev__autoscaling=None))
    assert validate(changed(queued, ray__dev__autoscaling={}))
