"""Creates that fail and leave something: what `up` says, what the next one does, what a destroy
leaves. The faults act by the provider's code (sandbox/cloud/kinds)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.lustre import LustreInstance
from sandbox.cloud.kinds.node_pool import NodePool
from sandbox.faults import Degraded, Fail, Faults, Slow, Stockout
from sandbox.run import usd_hour
from sandbox.run_result import RunResult
from sandbox.status import describe
from stacks.out_of_stock import LACKS
from tests.parts.plain_engine import plain_up
from tests.stacks.conftest import Sandbox, changed

SandboxOf = Callable[[str], Sandbox]
pytestmark = pytest.mark.thorough
# Four machines with an L4 each, on demand, under a RayCluster.
FIXED = "gcsfuse-checkpoint"
NO_STOCK = {"kind": "stockout", "machine_type": "g2-standard-8", "zone": "us-east4-c"}
# USD an hour on demand, by the catalog.
PRICE = 0.85
CREATED = "was created in the error state"


def short(machines: int) -> Faults:
    return Faults(rules=(Stockout.model_validate({**NO_STOCK, "machines": machines}),))


def slow(token: str, factor: float) -> Faults:
    return Faults(rules=(Slow(kind="slow", type=token, factor=factor),))


def said(result: RunResult) -> str:
    return "\n".join([*result.report.diagnostics, *result.failure])


def errors_on_record(sandbox: Sandbox, name: str) -> list[str]:
    resources = sandbox.state()["resources"]
    (found,) = (it for it in resources if it["urn"].endswith(f"::{name}"))
    return found.get("initErrors") or []


@pytest.mark.parametrize(("machines", "status"), [(0, "ERROR"), (3, "RUNNING_WITH_ERROR")])
def test_a_pool_that_is_out_of_stock_stays_and_up_says_what_came_and_what_the_config_could_say(
    empty: SandboxOf, machines: int, status: str
) -> None:
    sandbox = empty(FIXED)
    failed = sandbox.run("up", faults=short(machines))
    assert not failed.ok
    assert f'NodePool gpu-pool {CREATED} "{status}"' in said(failed)
    assert f"{machines} of the 4 machines of g2-standard-8 are there" in said(failed)
    assert ("and paid for, for" in said(failed)) == (machines > 0)
    offered = [it for it in failed.failure if "nearest: " in it]
    assert any("stack.pools.gpu.zone: us-east4-" in it for it in offered)
    assert any("stack.pools.gpu.capacity: {mode: spot}" in it for it in offered)
    # The program says the same on a real stack; on the sandbox it is said once.
    assert not any(LACKS in it for it in failed.report.diagnostics)
    # GKE asked for 36 minutes for what did not come.
    assert failed.makespan_s >= 36 * 60
    assert len(sandbox.cloud.short) == 1
    # What did not come costs nothing: neither its machines nor their disks.
    made = usd_hour(failed, sandbox.workspace)["after"]["low"]
    whole = usd_hour(sandbox.succeed("preview"), sandbox.workspace)["after"]["low"]
    assert whole - made >= (4 - machines) * PRICE
    assert errors_on_record(sandbox, "gpu-pool")


def test_a_real_up_says_by_the_program_what_a_pool_lacks_and_where_else_it_is(
    empty: SandboxOf,
) -> None:
    failed = plain_up(empty(FIXED), short(3))
    (line,) = (it for it in failed.report.warnings if LACKS in it)
    assert line.startswith("pools.gpu: us-east4-c lacks machines of g2-standard-8")
    assert "paid for, 0.85 USD an hour each" in line
    assert "\n  nearest: stack.pools.gpu.zone: us-east4-" in line


@pytest.mark.parametrize(
    ("stack", "machine", "zone", "field", "way"),
    [
        ("serve-autopilot", "g2-standard-24", "us-central1-a", "servers.chat", "pools.l4.capacity"),
        (FIXED, "g2-standard-8", "us-east4-c", "ray.", "pools.gpu.zone: us-east4-"),
    ],
)
def test_a_real_up_says_of_what_waited_in_vain_which_machines_it_lacks(
    empty: SandboxOf, stack: str, machine: str, zone: str, field: str, way: str
) -> None:
    sandbox = empty(stack)
    faults = Faults(rules=(Stockout(kind="stockout", machine_type=machine, zone=zone),))
    if stack == FIXED:
        # The pool fails, and in the next run what waits for its machines.
        plain_up(sandbox, faults)
    failed = plain_up(sandbox, faults)
    assert any("timed out waiting" in it for it in failed.report.errors)
    (line,) = (it for it in failed.report.warnings if LACKS in it)
    assert line.startswith(field)
    assert f"({machine} in {zone})" in line
    assert f"\n  nearest: stack.{way}" in line
    assert f"`pulumi up --stack {stack}` again, later" in line


def test_the_next_up_says_what_waits_for_machines_and_ends_once_they_are_there(
    empty: SandboxOf,
) -> None:
    sandbox = empty(FIXED)
    sandbox.run("up", faults=short(1))
    still = sandbox.run("up", faults=short(1))
    assert not still.ok
    assert "pools.gpu: an earlier run left gpu-pool in an error" in said(still)
    # Nothing fails but what waits, which names the pool and ways on.
    (failed,) = (it for it in still.failure if it.startswith("stack.pools.gpu: "))
    assert "RayCluster" in failed
    assert "1 of the 4 machines of g2-standard-8 are there and paid for" in said(still)
    assert any("nearest: stack.pools.gpu.zone: us-east4-" in it for it in still.failure)
    done = sandbox.succeed("up")
    assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}
    assert "error state" not in said(done)
    assert changed(sandbox.succeed("preview")) == {}
    assert sandbox.succeed("destroy").cloud == {}


def test_fewer_nodes_are_a_way_on_from_a_pool_that_lacks_machines(empty: SandboxOf) -> None:
    sandbox = empty(FIXED)
    sandbox.run("up", faults=short(2))
    fewer = sandbox.run("up", "pools.gpu.nodes=2", faults=short(2))
    assert fewer.ok, said(fewer)
    assert changed(sandbox.succeed("preview", "pools.gpu.nodes=2")) == {}


def test_machines_that_came_before_a_pool_failed_to_grow_are_taken_back_after_a_refresh(
    empty: SandboxOf,
) -> None:
    sandbox = empty(FIXED)
    two, six = "pools.gpu.nodes=2", "pools.gpu.nodes=6"
    sandbox.succeed("up", two)
    failed = sandbox.run("up", six, faults=short(3))
    assert not failed.ok
    assert "Expected 6, running 3, transitioning 3" in said(failed)
    assert "3 of the 6 machines of g2-standard-8 are there and paid for" in said(failed)
    assert failed.makespan_s >= 36 * 60
    # The record says 2, and so does the config: nothing differs.
    back = sandbox.run("preview", two, faults=short(3))
    assert changed(back) == {"gpu-pool": "update"}
    assert "more than 2 nodes, GKE still makes them" in said(back)
    assert list(sandbox.cloud.short.values()) == [3]
    sandbox.run("refresh", two, faults=short(3))
    assert changed(sandbox.run("up", two, faults=short(3)))["gpu-pool"] == "update"
    (cluster,) = describe(sandbox.workspace)["clusters"]
    assert cluster["pools"]["gpu-pool"]["state"] == ""
    assert sandbox.succeed("destroy").cloud == {}


def test_a_destroy_takes_a_pool_in_an_error_state_along(empty: SandboxOf) -> None:
    sandbox = empty(FIXED)
    sandbox.run("up", faults=short(1))
    destroyed = sandbox.run("destroy", faults=short(1))
    assert destroyed.ok, said(destroyed)
    assert destroyed.cloud == {}
    assert sandbox.cloud.short == {}


def test_protection_is_lifted_from_a_stack_whose_first_up_was_out_of_stock(
    empty: SandboxOf,
) -> None:
    sandbox = empty(FIXED)
    on, off = "deletion_protection=true", "deletion_protection=false"
    assert not sandbox.run("up", on, faults=short(0)).ok
    # Machines are still missing: what waits for them fails, and the lock is off by then.
    sandbox.run("up", off, faults=short(0))
    destroyed = sandbox.run("destroy", off, faults=short(0))
    assert destroyed.ok, said(destroyed)
    assert destroyed.cloud == {}


@pytest.mark.parametrize(
    ("stack", "machine", "zone"),
    [
        ("b200-lustre", "a4-highgpu-8g", "us-east1-b"),
        ("tpu-elastic", "ct6e-standard-4t", "us-central1-b"),
    ],
)
def test_spot_machines_out_of_stock_fail_no_up_and_status_says_what_waits(
    empty: SandboxOf, stack: str, machine: str, zone: str
) -> None:
    sandbox = empty(stack)
    rule = Stockout(kind="stockout", machine_type=machine, zone=zone)
    done = sandbox.run("up", faults=Faults(rules=(rule,)))
    assert done.ok, said(done)
    waiting = {pod.name for pod in sandbox.pods() if not pod.node}
    assert waiting
    assert all("worker" in it for it in waiting)
    assert all(pod.reason for pod in sandbox.pods() if not pod.node)
    (cluster,) = describe(sandbox.workspace)["clusters"]
    states = [it["state"] for it in cluster["pools"].values() if it["state"]]
    assert states
    assert all(f"{machine} is out of stock" in it for it in states)
    sandbox.succeed("up")
    assert [pod.name for pod in sandbox.pods() if not pod.node] == []
    assert changed(sandbox.succeed("preview")) == {}


@pytest.mark.parametrize("message", ["", "an internal error has occurred"])
def test_a_cluster_in_an_error_state_is_gone_on_with_and_told(
    empty: SandboxOf, message: str
) -> None:
    sandbox = empty("dev")
    rule = Degraded(kind="degraded", message=message, minutes=35)
    failed = sandbox.run("up", faults=Faults(rules=(rule,)))
    assert not failed.ok
    assert (message or f'{CREATED} "DEGRADED"') in said(failed)
    assert failed.makespan_s >= 35 * 60
    assert errors_on_record(sandbox, "gke-cluster")
    assert "cluster: GKE created gke-cluster in an error state" in said(sandbox.succeed("preview"))
    done = sandbox.succeed("up")
    assert "`gcloud container clusters describe dev --location=us-central1-a" in said(done)
    # What GKE began the cluster with is left where its create failed, as the warning says.
    everything = [it for ids in sandbox.describe_everything().values() for it in ids]
    assert any("default-pool" in it for it in everything) == bool(message)
    (cluster,) = describe(sandbox.workspace)["clusters"]
    assert cluster["state"] == "DEGRADED"
    left = cluster["pools"].get("default-pool", {"state": ""})
    assert ("on no record, and paid for" in left["state"]) == bool(message)
    assert changed(sandbox.succeed("preview")) == {}
    assert sandbox.succeed("destroy").cloud == {}


@pytest.mark.parametrize("message", ["", "an internal error has occurred"])
def test_a_cluster_in_an_error_state_can_be_destroyed(empty: SandboxOf, message: str) -> None:
    sandbox = empty("dev")
    rule = Degraded(kind="degraded", message=message, state="ERROR")
    assert not sandbox.run("up", faults=Faults(rules=(rule,))).ok
    assert sandbox.succeed("destroy").cloud == {}
    assert sandbox.cloud.degraded == {}


@pytest.mark.parametrize("token", [Cluster.token, NodePool.token])
def test_an_operation_that_hangs_and_fails_leaves_a_stack_that_the_next_up_completes(
    empty: SandboxOf, token: str
) -> None:
    sandbox = empty("dev")
    rule = Fail(kind="fail", type=token, minutes=35, message="deadline exceeded")
    failed = sandbox.run("up", faults=Faults(rules=(rule,)))
    assert "deadline exceeded" in said(failed)
    assert failed.makespan_s >= 35 * 60
    sandbox.succeed("up")
    assert changed(sandbox.succeed("preview")) == {}


def test_a_pool_gets_a_fixed_count_or_bounds_in_place_and_keeps_its_machines(
    empty: SandboxOf,
) -> None:
    sandbox = empty(FIXED)
    bounds = "pools.gpu.autoscaling={min: 4, max: 4}"
    sandbox.succeed("up", bounds)
    for overrides in ((), (bounds,)):
        before = sandbox.describe_everything()
        assert changed(sandbox.succeed("up", *overrides)) == {"gpu-pool": "update"}
        assert sandbox.describe_everything() == before
        assert changed(sandbox.succeed("preview", *overrides)) == {}


def test_a_pool_that_was_told_to_have_fewer_nodes_has_fewer(empty: SandboxOf) -> None:
    sandbox = empty(FIXED)
    sandbox.succeed("up")
    fewer = sandbox.succeed("up", "pools.gpu.nodes=2")
    assert changed(fewer)["gpu-pool"] == "update"
    nodes = {pod.node for pod in sandbox.pods() if pod.node and "gpu-pool" in pod.node}
    assert len(nodes) <= 2


def test_an_instance_that_the_provider_gave_up_is_in_no_state_and_up_says_what_has_it_there(
    empty: SandboxOf,
) -> None:
    sandbox = empty("b200-lustre")
    failed = sandbox.run("up", faults=slow(LustreInstance.token, 20))
    assert not failed.ok
    assert "timeout while waiting for state to become 'DONE'" in said(failed)
    assert "timeout: 2h0m0s" in said(failed)
    assert "Google goes on making it. It is in no state and costs" in said(failed)
    line = "pulumi import gcp:lustre/instance:Instance lustre-instance projects/"
    assert line in said(failed)
    assert LustreInstance.token not in {it["type"] for it in sandbox.state()["resources"]}
    assert len(sandbox.describe_everything()[LustreInstance.token]) == 1
    again = sandbox.run("up")
    assert "ALREADY_EXISTS" in said(again)
    assert line in said(again)
    gone = sandbox.run("destroy")
    assert not gone.ok
    assert len(gone.cloud[LustreInstance.token]) == 1


def test_a_cluster_that_the_provider_gave_up_is_on_record_and_the_next_up_goes_on(
    empty: SandboxOf,
) -> None:
    sandbox = empty("dev")
    failed = sandbox.run("up", faults=slow(Cluster.token, 20))
    assert "timeout: 1h30m0s" in said(failed)
    assert errors_on_record(sandbox, "gke-cluster")
    assert "default-pool" in said(sandbox.succeed("up"))
    assert changed(sandbox.succeed("preview")) == {}
    assert sandbox.succeed("destroy").cloud == {}


def test_a_pool_that_the_provider_gave_up_is_on_record_and_the_next_up_goes_on(
    empty: SandboxOf,
) -> None:
    sandbox = empty(FIXED)
    failed = sandbox.run("up", faults=slow(NodePool.token, 100))
    assert 'has state "PROVISIONING"' in said(failed)
    # It waits for the operation, and once more for the pool.
    assert failed.makespan_s >= 4 * 3600
    assert errors_on_record(sandbox, "gpu-pool")
    sandbox.succeed("up")
    assert changed(sandbox.succeed("preview")) == {}
    assert sandbox.succeed("destroy").cloud == {}


def test_an_update_that_the_provider_gave_up_goes_on_and_the_next_up_finds_it_done(
    empty: SandboxOf,
) -> None:
    sandbox = empty(FIXED)
    sandbox.succeed("up")
    larger = "pools.gpu.disk.size_gb=300"
    failed = sandbox.run("up", larger, faults=slow(NodePool.token, 10))
    assert "timeout: 2h0m0s" in said(failed)
    assert changed(sandbox.succeed("up", larger)) == {"gpu-pool": "update"}
    assert changed(sandbox.succeed("preview", larger)) == {}


def test_a_delete_that_the_provider_gave_up_goes_on_and_the_next_destroy_ends(
    empty: SandboxOf,
) -> None:
    sandbox = empty("dev")
    sandbox.succeed("up")
    failed = sandbox.run("destroy", faults=slow(Cluster.token, 40))
    assert not failed.ok
    assert sandbox.succeed("destroy").cloud == {}
