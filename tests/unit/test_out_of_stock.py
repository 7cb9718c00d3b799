"""What `up` says after the provider's error of a pool whose machines did not come."""

from __future__ import annotations

import pulumi
import pytest

from stacks.config import validate
from stacks.out_of_stock import tell, waited_in_vain, warning
from stacks.plan import Plan
from stacks.refusal import NODE_POOL
from stacks.workloads import DEPLOYMENT
from tests.conftest import changed, stack_config
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
# As pulumi-kubernetes 4.34 has them (provider.go:1874, 94977969) and the engine joins them.
NOT_LIVE = "the Kubernetes API server reported that it failed to fully initialize or become live: "
SERVER = f"2 errors occurred:\n\t* {NOT_LIVE}'chat' timed out waiting to be Ready\n\t* "
WAITS = f"{SERVER}Minimum number of live Pods was not attained\n"
CRASHES = f"{SERVER}[Pod llm/chat-x]: containers with unready status: [vllm][CrashLoopBackOff]\n"
RAY_WAITS = f"1 error occurred:\n\t* {NOT_LIVE}timed out waiting for the condition\n"


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


def test_a_server_that_waited_in_vain_names_its_machines_their_price_and_ways_on() -> None:
    line = waited_in_vain(planned("serve-autopilot"), "lab", "chat-deployment", WAITS) or ""
    first, *offers = line.split("\n")
    assert first.startswith(
        "servers.chat: where its pods have no node, it lacks machines of pools.l4 (g2-standard-24 "
        "in us-central1-a). GKE goes on asking for them, and those that came are paid for: an hour "
        "of the stack's machines costs "
    )
    assert " get pods --namespace=llm --field-selector=status.phase=Pending` lists" in first
    assert any("stack.pools.l4.capacity: {mode: spot}" in it for it in offers)
    assert "  nearest: stack.servers.chat.minutes: more than 30" in offers
    assert offers[-1].startswith("  nearest: the same `pulumi up --stack lab` again, later")


def test_a_ray_cluster_that_waited_in_vain_names_the_pools_of_its_workers() -> None:
    plan = planned("gcsfuse-checkpoint")
    line = waited_in_vain(plan, "lab", "gcsfuse-checkpoint-cluster", RAY_WAITS) or ""
    assert " lacks machines of pools.gpu (g2-standard-8 in us-east4-c). " in line
    assert "\n  nearest: stack.pools.gpu.zone: us-east4-" in line
    assert "minutes" not in line


def test_a_ray_cluster_that_is_ready_with_its_head_waits_for_the_heads_machine() -> None:
    plan = planned("b200-lustre")
    (ray,) = plan.ray
    line = waited_in_vain(plan, "lab", f"{ray}-cluster", RAY_WAITS) or ""
    assert " lacks machines of pools.cpu (" in line
    assert "pools.gpu" not in line


def test_queued_machines_that_did_not_come_are_told_by_their_request() -> None:
    queued = {"mode": "queued", "max_run_hours": 24}
    raw = changed(stack_config("gcsfuse-checkpoint"), pools__gpu__capacity=queued)
    plan = validate(raw, secrets_set=WITH_TOKEN)
    (ray,) = plan.ray
    line = waited_in_vain(plan, "lab", f"{ray}-machines-request", RAY_WAITS) or ""
    assert line.startswith(f"ray.{ray}: ")
    assert " lacks machines of pools.gpu (" in line


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("chat-deployment", CRASHES),
        ("chat-deployment", "Deployment.apps is invalid"),
        ("theirs-deployment", WAITS),
    ],
)
def test_of_containers_that_fail_and_of_work_of_others_nothing_is_said(
    name: str, message: str
) -> None:
    assert waited_in_vain(planned("serve-autopilot"), "lab", name, message) is None


@pytest.mark.parametrize(("operation", "warnings"), [("create", 1), ("update", 1), ("delete", 0)])
def test_what_is_slow_to_go_lacks_no_machines(
    monkeypatch: pytest.MonkeyPatch, operation: str, warnings: int
) -> None:
    told: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", told.append)
    args = pulumi.ErrorHookArgs(
        "urn", "id", "chat-deployment", DEPLOYMENT, failed_operation=operation, errors=[WAITS]
    )
    assert tell(planned("serve-autopilot"), "lab", args) is False
    assert len(told) == warnings
