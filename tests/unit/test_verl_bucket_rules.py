"""What lies on a verl training's bucket, and what fills it, against what there is room for."""

from typing import Any

import pytest

from stacks.config import validate
from tests.conftest import changed, stack_config
from tests.programs import assert_named, mistakes

CONFIG = stack_config("verl-b200")
JOB = "jobs__verl-grpo"
CHECKPOINTS = "stack.jobs.verl-grpo.checkpoints.directory"


@pytest.mark.parametrize(
    ("values", "field", "end"),
    [
        (
            {f"{JOB}__model": "x/verl"},
            "stack.jobs.verl-grpo.model",
            "nearest: Qwen/Qwen2.5-32B-Instruct",
        ),
        (
            {f"{JOB}__model": "x/gsm8k"},
            "stack.jobs.verl-grpo.model",
            "nearest: Qwen/Qwen2.5-32B-Instruct",
        ),
        ({f"{JOB}__model": "x/checkpoints"}, CHECKPOINTS, "nearest: runs"),
        (
            {f"{JOB}__checkpoints": {"directory": "Qwen2.5-32B-Instruct/run"}},
            CHECKPOINTS,
            "of jobs.verl-grpo.model; nearest: checkpoints",
        ),
        (
            {f"{JOB}__checkpoints": {"directory": "verl/checkpoints"}},
            CHECKPOINTS,
            "of verl's code; nearest: checkpoints",
        ),
        ({f"{JOB}__checkpoints": {"directory": "gsm8k"}}, CHECKPOINTS, "nearest: checkpoints"),
    ],
)
def test_what_is_made_anew_takes_nothing_else_along(
    values: dict[str, Any], field: str, end: str
) -> None:
    assert_named(mistakes(changed(CONFIG, **values)), field, end)


@pytest.mark.parametrize("directory", ["checkpoints", "runs/first", "verl-runs"])
def test_folders_that_lie_apart_are_right(directory: str) -> None:
    assert validate(changed(CONFIG, **{f"{JOB}__checkpoints": {"directory": directory}}))


def test_a_rank_does_not_save_by_way_of_the_sidecars_disk() -> None:
    field = "stack.buckets.bucket.mount.streaming_writes"
    assert_named(
        mistakes(changed(CONFIG, buckets__bucket__mount__streaming_writes=False)), field, "true"
    )


@pytest.mark.parametrize(
    ("preparation", "key", "end"),
    [({"cpu": 32}, "cpu", "14"), ({"memory_gib": 70}, "memory_gib", "55")],
)
def test_the_preparation_fits_a_node(preparation: dict[str, Any], key: str, end: str) -> None:
    lines = mistakes(changed(CONFIG, **{f"{JOB}__preparation": preparation}))
    assert_named(
        lines, f"stack.jobs.verl-grpo.preparation.{key}", f"on a c2-standard-16; nearest: {end}"
    )


def test_where_there_is_one_node_it_fits_beside_rays_head() -> None:
    """The head waits for verl's code, and the code would wait for the head to go."""
    config = changed(CONFIG, pools__cpu__autoscaling=None)
    assert validate(config)
    lines = mistakes(changed(config, **{f"{JOB}__preparation": {"cpu": 4}}))
    end = "beside Ray's head on the one c2-standard-16; nearest: 2"
    assert_named(lines, "stack.jobs.verl-grpo.preparation.cpu", end)
    assert validate(changed(CONFIG, **{f"{JOB}__preparation": {"cpu": 4}}))


def test_the_boot_disk_holds_the_image_beside_what_pods_write() -> None:
    lines = mistakes(changed(CONFIG, pools__cpu__disk={"size_gb": 100}))
    assert_named(lines, "stack.pools.cpu.disk.size_gb", "nearest: 108")
    assert validate(changed(CONFIG, pools__cpu__disk={"size_gb": 108}))


def test_nothing_is_said_of_an_image_whose_size_nobody_knows() -> None:
    own = {"pools__cpu__disk": {"size_gb": 100}, "ray__b200-ray-cluster__image": "registry/verl:1"}
    assert validate(changed(CONFIG, **own))
