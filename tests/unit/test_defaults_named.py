"""A refusal of a value that nobody wrote says that it is a default."""

from __future__ import annotations

from typing import Any

import pytest

from stacks.config import ConfigError, validate
from stacks.tried import stands
from tests.conftest import changed, stack_config


def refusal(config: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as refused:
        validate(config)
    return str(refused.value)


def test_a_default_that_is_refused_is_told_to_be_one() -> None:
    dev = changed(stack_config("dev"), project="google-project", buckets__bucket__name=None)
    said = refusal(changed(dev, name="dev"))
    assert (
        '\n  stack.buckets.bucket.name: by default, "dev-google-project" is a bucket name' in said
    )


def test_a_value_of_the_file_is_told_as_it_is() -> None:
    dev = changed(stack_config("dev"), buckets__bucket__name="google-mine")
    assert '\n  stack.buckets.bucket.name: "google-mine" is a bucket name' in refusal(dev)


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("pools.gpu", True),
        ("pools.gpu.nodes", False),
        ("images.repositories.nvcr.io", True),
        ("queues[0].name", True),
        ("queues[1]", False),
        ("one[0]", True),
        ("pools.gpu.machine.type", False),
    ],
)
def test_what_stands_in_a_config_is_found_by_its_path(path: str, there: bool) -> None:
    raw = {
        "pools": {"gpu": {"machine": "a"}},
        "images": {"repositories": {"nvcr.io": "mirror"}},
        "queues": [{"name": "lq"}],
        "one": "a name for a list of it",
    }
    assert stands(raw, path) is there
