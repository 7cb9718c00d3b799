"""What `up` says after the provider's error of a pool whose machines did not come."""

from __future__ import annotations

import pulumi
import pytest

from stacks.config import validate
from stacks.out_of_stock import tell, warning
from stacks.plan import Plan
from stacks.refusal import NODE_POOL
from tests.conftest import stack_config
from tests.programs import WITH_TOKEN

HALF_MADE = 'NodePool gpu-pool was created in the error state "ERROR"'
# Issue 6287 and pull request 10121 of hashicorp/terraform-provider-google.
REFUSED = (
    "Error waiting for creating GKE NodePool: [GCE_STOCKOUT]: Instance 'instance' creation failed: "
    "The zone 'projects/p/zones/us-central1-b' does not have enough resources available to fulfill "
    "the request."
)
GROWN = (
    "Error waiting for updating GKE node pool size: Google Compute Engine: Not all instances "
    "running in IGM after 36m. Expected 6, running 3, transitioning 3. Current errors: "
    "[GCE_STOCKOUT]: The zone does not have enough resources available"
)


def planned(stack: str) -> Plan:
    return validate(stack_config(stack), secrets_set=WITH_TOKEN)


def test_it_names_what_is_paid_for_other_zones_other_ways_and_the_same_again() -> None:
    first, *offers = (
        warning(planned("gcsfuse-checkpoint"), "lab", "gpu-pool", HALF_MADE) or ""
    ).split("\n")
    assert first == (
        "pools.gpu: us-east4-c lacks machines of g2-standard-8, or they do not start; those that "
        "came are paid for, 0.85 USD an hour each, and GKE goes on asking for the others"
    )
    assert offers[0].startswith("  nearest: stack.pools.gpu.zone: us-east4-")
    assert "us-east4-c" not in offers[0]
    assert any("{mode: spot}" in it for it in offers)
    assert offers[-1] == "  nearest: the same `pulumi up --stack lab` again, later"


def test_what_was_refused_at_once_has_nothing_that_is_paid_for() -> None:
    line = warning(planned("b200-lustre"), "lab", "gpu-pool", REFUSED) or ""
    assert line.startswith("pools.gpu: ")
    assert "paid" not in line


def test_as_many_nodes_as_came_are_a_way_on_from_a_pool_that_did_not_grow() -> None:
    line = warning(planned("gcsfuse-checkpoint"), "lab", "gpu-pool", GROWN) or ""
    assert "\n  nearest: stack.pools.gpu.nodes: 3, after `pulumi refresh --stack lab`\n" in line


@pytest.mark.parametrize(
    ("name", "message"),
    [("gpu-pool", "googleapi: Error 403: Permission denied"), ("theirs-pool", HALF_MADE)],
)
def test_of_other_errors_and_of_pools_of_others_nothing_is_said(name: str, message: str) -> None:
    assert warning(planned("dev"), "lab", name, message) is None


@pytest.mark.parametrize(("errors", "warnings"), [([HALF_MADE, "older"], 1), ([], 0)])
def test_the_newest_error_is_told_once_and_nothing_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, errors: list[str], warnings: int
) -> None:
    told: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", told.append)
    args = pulumi.ErrorHookArgs("urn", "id", "gpu-pool", NODE_POOL, errors=errors)
    assert tell(planned("dev"), "lab", args) is False
    assert len(told) == warnings


def test_slices_of_tpus_are_told_by_their_pool() -> None:
    line = warning(planned("tpu-multislice"), "lab", "v6e-16-1-pool", HALF_MADE) or ""
    assert line.startswith("pools.v6e-16: ")
