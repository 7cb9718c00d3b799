"""What lies on a verl training's bucket, and what fills it, against what there is room for."""

import pytest

from stacks.config import validate
from tests.conftest import changed, stack_config

CONFIG = stack_config("verl-b200")
JOB = "jobs__verl-grpo"


@pytest.mark.parametrize("directory", ["checkpoints", "runs/first", "verl-runs"])
def test_folders_that_lie_apart_are_right(directory: str) -> None:
    assert validate(changed(CONFIG, **{f"{JOB}__checkpoints": {"directory": directory}}))


def test_nothing_is_said_of_an_image_whose_size_nobody_knows() -> None:
    own = {"pools__cpu__disk": {"size_gb": 100}, "ray__b200-ray-cluster__image": "registry/verl:1"}
    assert validate(changed(CONFIG, **own))
