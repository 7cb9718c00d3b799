"""What Ray installs for a checkpoint training."""

from stacks.config import validate
from tests.conftest import changed, stack_config

CHECKPOINT = stack_config("gcsfuse-checkpoint")
JOB = "jobs__pytorch-image-classifier"


def test_ray_installs_what_the_lock_has_unless_the_image_has_it() -> None:
    (ray,) = validate(CHECKPOINT).ray.values()
    assert [it.partition("==")[0] for it in ray.demands.packages] == ["torch", "torchvision"]
    (own,) = validate(changed(CHECKPOINT, **{f"{JOB}__install_torch": False})).ray.values()
    assert own.demands.packages == ()
