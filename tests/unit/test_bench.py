"""What `make bench` measures is a stack that the program takes."""

import pytest

from bench.scale import SIZES, config_with
from stacks.config import validate


@pytest.mark.parametrize("pools", [0, *SIZES])
def test_a_stack_with_many_pools_is_taken_with_all_of_them(pools: int) -> None:
    config = config_with(pools)["config"]
    places = {key: config[f"gcp:{key}"] for key in ("region", "zone")}
    plan = validate({**config["gke-ai-stacks:stack"], **places, "project": "my-project"})
    assert len(plan.gpu_pools) == 1 + pools
    (cluster,) = plan.ray.values()
    (workers,) = cluster.groups.values()
    assert len(workers.pools) == 1 + pools
