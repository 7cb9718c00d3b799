"""What a run says of pools and clusters that an earlier one left in an error state."""

from __future__ import annotations

from typing import Any

import pytest

from stacks.config import validate
from stacks.half_made import warning
from stacks.refusal import CLUSTER, NODE_POOL
from tests.conftest import stack_config
from tests.programs import WITH_TOKEN

INPUTS: dict[str, Any] = {"name": "gpu-pool"}


def said(stack: str, token: str, name: str, new: dict[str, Any] = INPUTS) -> str | None:
    plan = validate(stack_config(stack), secrets_set=WITH_TOKEN)
    return warning(plan, stack, token, name, INPUTS, new)


def test_an_update_of_a_pool_in_which_nothing_differs_is_told_with_what_its_machines_cost() -> None:
    line = said("b200-lustre", NODE_POOL, "gpu-pool") or ""
    assert line.startswith(
        "pools.gpu: an earlier run left gpu-pool in an error. Machines of a4-high"
    )
    assert "those that came are paid for, 33 USD an hour each" in line
    assert (
        "another pools.gpu.nodes. To have them elsewhere: stack.pools.gpu.capacity: {mode: " in line
    )


def test_slices_have_a_pool_each_and_a_number() -> None:
    line = said("tpu-multislice", NODE_POOL, "v6e-16-1-pool") or ""
    assert "gke-nodepool=v6e-16-1`" in line
    assert "another pools.v6e-16.slices" in line


def test_a_cluster_is_told_with_the_commands_that_look_and_take_its_first_pool_away() -> None:
    line = said("dev", CLUSTER, "gke-cluster") or ""
    assert line.startswith("cluster: GKE created gke-cluster in an error state")
    assert "describe dev --location=us-central1-a" in line
    assert "delete default-pool --cluster=dev --location=us-central1-a" in line


@pytest.mark.parametrize("token", [NODE_POOL, CLUSTER])
def test_an_update_with_a_difference_is_an_ordinary_one(token: str) -> None:
    assert said("dev", token, "gpu-pool", {"name": "gpu-pool", "nodeCount": 2}) is None


def test_a_pool_of_others_is_none_of_the_stacks() -> None:
    assert said("dev", NODE_POOL, "theirs-pool") is None


def test_a_pool_of_a_fixed_size_may_have_been_told_a_larger_one() -> None:
    line = said("gcsfuse-checkpoint", NODE_POOL, "gpu-pool") or ""
    assert "was to have more than 4 nodes, GKE still makes them" in line
    ends = "`pulumi refresh --stack {0}`, then `pulumi up --stack {0}` does"
    assert line.endswith(ends.format("gcsfuse-checkpoint"))
    for stack, name in (("b200-lustre", "gpu-pool"), ("tpu-multislice", "v6e-16-0-pool")):
        assert "refresh" not in (said(stack, NODE_POOL, name) or "")
