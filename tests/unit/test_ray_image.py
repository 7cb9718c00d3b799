"""Which images of Ray go with which version."""

from typing import Any

import pytest

from stacks.config import validate
from stacks.parts.ray.rules import image_problems
from tests.conftest import changed
from tests.programs import mistakes


@pytest.mark.parametrize(
    "image",
    [
        "rayproject/ray:2.54.0",
        "rayproject/ray:2.54.0-py312-gpu",
        "docker.io/rayproject/ray-ml:2.54.0.abc",
        "rayproject/ray:nightly",
        "nvcr.io/nvidia/nemo-rl:v0.4.0",
        "mirror.example/rayproject/ray:2.54.0-py312-gpu",
        "mirror.example:5000/team/trainer:0.4.0-ray2.54.0",
        "mirror.example/team/xray:1.2.3",
        "mirror.example/team/ray-tools/trainer:1.2.3",
        "mirror.example/team/trainer:array-1.2.3",
    ],
)
def test_an_image_of_that_version_or_of_an_unknown_one_is_taken(image: str) -> None:
    assert not list(image_problems("ray.main", image, "2.54.0"))


@pytest.mark.parametrize(
    "image",
    [
        "rayproject/ray:2.49.2-py311",
        "mirror.example/docker/rayproject/ray-ml:2.49.2",
        "mirror.example:5000/team/ray:2.49.2@sha256:0a",
        "mirror.example/team/trainer:0.4.0-ray2.49.2-cuda12",
        "mirror.example/team/trainer:ray-2.49.2",
    ],
)
def test_an_image_whose_tag_names_another_version_is_refused(image: str) -> None:
    (one,) = image_problems("ray.main", image, "2.54.0")
    assert one.message == f"2.54.0 is not the Ray that {image} has; nearest: 2.49.2"


def test_an_image_of_another_version_is_refused(dev: dict[str, Any]) -> None:
    (one,) = image_problems("ray.main", "rayproject/ray:2.30.0-gpu", "2.54.0")
    assert (one.field, one.message) == (
        "ray.main.version",
        "2.54.0 is not the Ray that rayproject/ray:2.30.0-gpu has; nearest: 2.30.0",
    )
    (line,) = mistakes(changed(dev, ray__dev__image="rayproject/ray:2.30.0-gpu"))
    assert line.startswith("stack.ray.dev.version: ")


def test_what_is_nearest_is_taken(dev: dict[str, Any]) -> None:
    assert validate(
        changed(dev, ray__dev__image="rayproject/ray:2.30.0-gpu", ray__dev__version="2.30.0")
    )
