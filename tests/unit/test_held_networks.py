"""Which networks of an Autopilot cluster's nodes would go, by what is on record of them."""

from __future__ import annotations

from typing import Any

import pytest

from stacks.config import validate
from stacks.held_networks import blocks, holding
from stacks.on_record import Record
from tests.conftest import Recording, changed
from tests.programs import WITH_TOKEN, registered
from tests.unit.effect_stacks import BASES

AUTOPILOT, VERL = BASES["autopilot"], BASES["verl"]
RANGE = {"network__accelerators": {"range": "172.16.0.0/16"}}


def made(config: dict[str, Any]) -> Recording:
    return registered(validate(config, secrets_set=WITH_TOKEN), stack="test")


def record(config: dict[str, Any]) -> Record:
    """As if the config had been brought up."""
    own = {"subnetwork": f"projects/p/regions/r/subnetworks/{config['name']}-nodes"}
    resources = made(config).resources
    return Record(
        {
            it.urn: {
                "type": it.type,
                "outputs": {**it.inputs, **(own if it.type.endswith(":Cluster") else {})},
            }
            for it in resources
        }
    )


def refusals(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    plan, there = validate(after, secrets_set=WITH_TOKEN), record(before)
    return [str(it.refusal(there, "test")) for it in holding(plan, there)]


@pytest.mark.parametrize("base", [AUTOPILOT, VERL], ids=["autopilot", "standard"])
def test_the_blocks_are_those_of_the_networks_that_are_made(base: dict[str, Any]) -> None:
    plan = validate(base, secrets_set=WITH_TOKEN)
    found = {it.inputs["ipCidrRange"] for it in made(base).of_type(":Subnetwork")}
    assert blocks(plan) == found - {plan.stack.network.subnet}


@pytest.mark.parametrize("change", [RANGE, {"network__accelerators": {"prefix_length": 25}}])
def test_other_ones_take_all_that_the_stack_made(change: dict[str, Any]) -> None:
    (said,) = refusals(AUTOPILOT, changed(AUTOPILOT, **change))
    assert "(stack.network.accelerators): 192.168.0.0/24, " in said
    assert "  pulumi destroy --stack test\n  pulumi up --stack test\n" in said
    assert "bucket" in said.splitlines()[-1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (AUTOPILOT, AUTOPILOT),
        (AUTOPILOT, changed(AUTOPILOT, labels={"team": "a"})),
        (VERL, changed(VERL, **RANGE)),
    ],
    ids=["as it is", "labels", "nodes that the stack takes away itself"],
)
def test_one_run_does_all_else(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert refusals(before, after) == []


def test_machines_with_fewer_networks_are_named_by_their_pools_and_not_by_a_range() -> None:
    """Blocks are cut from the range that the config has, one for each interface."""
    pool = changed(AUTOPILOT, jobs=None, ray=None)
    (said,) = refusals(pool, changed(pool, pools__gpu__machine_type="a3-megagpu-8g"))
    assert "\n  ranges of interfaces (stack.pools): 192.168.8.0/24 -> 192.168.0.0/24, " in said
    assert "stack.network.accelerators" not in said
