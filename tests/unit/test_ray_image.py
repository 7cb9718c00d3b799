"""Which images of Ray go with which version."""

from typing import Any

import pytest

from stacks.config import validate
from stacks.parts.ray.rules import image_problems
from tests.conftest import changed
from tests.unit.test_ray_scaling import mistake


@pytest.mark.parametrize(
    "image",
    [
        "rayproject/ray:2.54.0",
        "rayproject/ray:2.54.0-py312-gpu",
        "docker.io/rayproject/ray-ml:2.54.0.abc",
        "rayproject/ray:nightly",
        "nvcr.io/nvidia/nemo-rl:v0.4.0",
    ],
)
def test_an_image_of_that_version_or_of_an_unknown_one_is_taken(image: str) -> None:
    assert not list(image_problems("ray.main", image, "2.54.0"))


def test_an_image_of_another_version_is_refused(dev: dict[str, Any]) -> None:
    (one,) = image_problems("ray.main", "rayproject/ray:2.30.0-gpu", "2.54.0")
    assert one == (
        "ray.main.version",
        "2.54.0 is not the Ray that rayproject/ray:2.30.0-gpu has; nearest: 2.30.0",
    )
    assert mistake(dev, ray__dev__image="rayproject/ray:2.30.0-gpu").startswith(
        "stack.ray.dev.version: "
    )


def test_what_is_nearest_is_taken(dev: dict[str, Any]) -> None:
    assert validate(
        changed(dev, ray__dev__image="rayproject/ray:2.30.0-gpu", ray__dev__version="2.30.0")
    )
