"""The preset gcsfuse-checkpoint, a training with its checkpoints in a bucket, as a graph: what
waits for what, and what of a config becomes the training's options."""

from typing import Any

import pytest

from tests.conftest import Recording, Register
from tests.unit.stack_graphs import at, before_ray, built, options_of

JOB = "pytorch-image-classifier"


def up(register: Register, **values: Any) -> Recording:
    return built(register, "gcsfuse-checkpoint", **values)


@pytest.mark.parametrize(
    ("data", "given"),
    [
        ("bees/small", "/mnt/cluster_storage/bees/small"),
        ("https://example.com/bees.zip", "https://example.com/bees.zip"),
    ],
)
def test_data_of_the_bucket_is_read_where_it_is_mounted(
    register: Register, data: str, given: str
) -> None:
    assert options_of(up(register, **at(f"jobs__{JOB}__data", data)))["data"] == given


def test_a_run_without_a_name_has_the_jobs(register: Register) -> None:
    assert options_of(up(register, **at(f"jobs__{JOB}__run_name", None)))["run_name"] == JOB


def test_the_job_waits_for_ray_and_ray_for_kuberay_nodes_and_the_bucket(
    register: Register,
) -> None:
    made = up(register)
    assert "gcsfuse-checkpoint-cluster" in made.waits_for(f"{JOB}-job")
    assert {
        *("gpu-pool", "cpu-pool", "bucket-user-grant"),
        *("kuberay-release", "kuberay-namespace"),
    } <= before_ray(made)
    assert "gke-cluster" not in made.waits_for("bucket-bucket")
