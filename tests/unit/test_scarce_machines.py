"""What a preview says of creates that wait for machines which may be out of stock."""

from __future__ import annotations

from typing import Any

import pytest

from stacks.config import validate
from stacks.refusal import NODE_POOL
from stacks.scarce_machines import warning
from stacks.workloads import DEPLOYMENT
from tests.conftest import changed, stack_config
from tests.programs import WITH_TOKEN

SPOT = {"mode": "spot"}
PAIRS: dict[str, Any] = {
    "machine_type": "a4-highgpu-8g",
    "nodes": 2,
    "capacity": SPOT,
    "gpus_by": "claim",
}
RAY = {"requests": {"cpu": 8, "memory_gib": 64}}


def said(config: dict[str, Any], token: str, name: str) -> str | None:
    return warning(validate(config, secrets_set=WITH_TOKEN), token, name)


def test_a_spot_pool_that_begins_with_its_machines_may_fail_and_says_why_it_does() -> None:
    pairs = changed(stack_config("b200-lustre"), pools__gpu=PAIRS, jobs={}, ray={}, lustre=None)
    line = said(pairs, NODE_POOL, "gpu-pool") or ""
    assert line.startswith("pools.gpu: `up` fails where one of the 2 machines is out of stock on")
    assert "pods claim the GPUs" in line
    assert "nearest: pools.gpu.capacity {mode: reservation}" in line


@pytest.mark.parametrize(
    ("stack", "name"),
    [
        ("b200-lustre", "gpu-pool"),
        ("b200-lustre", "cpu-pool"),
        ("verl-b200", "gpu-pool"),
        ("tpu-elastic", "v6e-16-0-pool"),
        ("dev", "theirs-pool"),
    ],
)
def test_pools_that_begin_with_none_or_are_not_on_spot_have_nothing_to_say(
    stack: str, name: str
) -> None:
    assert said(stack_config(stack), NODE_POOL, name) is None


@pytest.mark.parametrize("mode", ["spot", "flex-start"])
def test_a_server_on_machines_that_come_later_says_how_long_up_waits(mode: str) -> None:
    config = changed(
        stack_config("lab"), pools__l4__capacity={"mode": mode}, servers__chat__minutes=45
    )
    if mode != "spot":
        # What stands outside of the queues leaves one of them GPUs alone.
        config = changed(
            config,
            servers__chat__queue=None,
            pools__l4__autoscaling=None,
            queues__cluster_queues__serving={"cohort": "lab", "flavors": {"cpu": {}}},
        )
    line = said(config, DEPLOYMENT, "chat-deployment") or ""
    assert line.startswith("servers.chat: `up` waits 45 min for a machine of pools.l4")
    assert f"fails where {mode} has none by then" in line


def test_servers_on_machines_on_demand_have_nothing_to_say() -> None:
    name = "tgi-gemma-deployment-deployment"
    assert said(stack_config("kueue-mixed"), DEPLOYMENT, name) is None
    assert said(stack_config("serve-autopilot"), DEPLOYMENT, "chat-deployment") is None
    assert said(stack_config("lab"), DEPLOYMENT, "kueue-controller-manager") is None
