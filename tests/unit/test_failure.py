"""How a failed run ends: each thing once, with the key, and what would work."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.customer_keys import customer_keys
from sandbox.events import PROGRAM_ENDED, EngineReport, ResourceOperation
from sandbox.live_output import LiveOutput
from sandbox.of_stacks.failure import Context, failure_lines
from stacks import out_of_stock
from stacks.config import validate
from tests.conftest import stack_config
from tests.programs import WITH_TOKEN

DEV = stack_config("dev")
NO_STOCK = (
    "RESOURCE_POOL_EXHAUSTED: the zone us-central1-a does not have enough g2-standard-8 available"
)


def urn(token: str, name: str) -> str:
    return f"urn:pulumi:dev::gke-ai-stacks::gke-ai-stacks:parent:Parent${token}::{name}"


GRANTS = "make kms-grants STACK=dev"
POOL = urn("gcp:container/nodePool:NodePool", "gpu-pool")


def ending(*messages: str, urns: dict[str, list[str]] | None = None, **context: Any) -> list[str]:
    report = EngineReport(diagnostics=list(messages), urns=urns or {})
    given = {"plan": validate(DEV), "roles": "make roles STACK=dev"}
    given["grants"] = GRANTS
    return list(failure_lines(report, Context(**{**given, **context})))


def test_a_stock_out_names_the_pool_and_what_the_config_could_say_instead() -> None:
    assert ending(NO_STOCK, urns={NO_STOCK: [POOL]}) == [
        f"stack.pools.gpu: {NO_STOCK}",
        "  nearest: stack.pools.gpu.zone: us-central1-b or us-central1-c",
        "  nearest: stack.pools.gpu.capacity: {mode: on-demand} or {mode: any-reservation} or "
        "{mode: flex-start}",
        "  nearest: the same command again, later",
    ]


@pytest.mark.parametrize(("came", "paid"), [(0, ""), (1, " and paid for, for 0.44 USD an hour")])
def test_a_pool_in_an_error_state_is_told_with_what_came_and_what_that_costs(
    came: int, paid: str
) -> None:
    half = 'NodePool gpu-pool was created in the error state "ERROR"'
    lines = ending(half, urns={half: [POOL]}, short={"gpu-pool": came})
    assert lines[:3] == [
        f"stack.pools.gpu: {half}",
        f"  {came} of the 1 machines of g2-standard-8 are there{paid}, and us-central1-a has no "
        "more; GKE goes on asking for them",
        *(["  nearest: stack.pools.gpu.nodes: 1"] if came else []),
        *([] if came else ["  nearest: stack.pools.gpu.zone: us-central1-b or us-central1-c"]),
    ]
    assert lines[-1] == "  nearest: the same command again, later"


def test_a_pool_that_did_not_grow_as_far_as_asked_is_told_with_what_came() -> None:
    grown = (
        "Error waiting for updating GKE node pool size: Google Compute Engine: Not all instances "
        "running in IGM after 36m. Expected 2, running 1, transitioning 1. Current errors: "
        "[GCE_STOCKOUT]: The zone us-central1-a does not have enough resources available"
    )
    lines = ending(grown, urns={grown: [POOL]})
    assert lines[:3] == [
        f"stack.pools.gpu: {grown}",
        "  1 of the 1 machines of g2-standard-8 are there and paid for, for 0.44 USD an hour, and "
        "us-central1-a has no more; GKE goes on asking for them",
        "  nearest: stack.pools.gpu.nodes: 1, after a refresh",
    ]
    assert lines[-1] == "  nearest: the same command again, later"


def test_a_workload_that_waits_for_machines_out_of_stock_names_their_pool_and_ways_on() -> None:
    plan = validate(stack_config("gcsfuse-checkpoint"), secrets_set=WITH_TOKEN)
    waits = "RayCluster default/r timed out waiting to be Ready: r-worker-1 is Pending: 0/1 nodes"
    urns = {waits: [urn("kubernetes:ray.io/v1:RayCluster", "gcsfuse-checkpoint-cluster")]}
    lines = ending(waits, urns=urns, plan=plan, short={"gpu-pool": 0})
    assert lines[:2] == [
        f"stack.pools.gpu: {waits}",
        "  0 of the 4 machines of g2-standard-8 are there, and us-east4-c has no more; GKE goes "
        "on asking for them",
    ]
    assert lines[2].startswith("  nearest: stack.pools.gpu.zone: us-east4-")
    assert ending(waits, urns=urns, plan=plan) == [waits]


def test_a_server_that_waits_for_machines_can_be_given_more_time() -> None:
    plan = validate(stack_config("kueue-mixed"), secrets_set=WITH_TOKEN)
    (server,) = plan.servers.values()
    waits = f"Deployment default/{server.name} timed out waiting to be Ready: it is Pending: 0/1"
    urns = {waits: [urn("kubernetes:apps/v1:Deployment", f"{server.name}-deployment")]}
    lines = ending(waits, urns=urns, plan=plan, short={server.pool.pool_name: 0})
    more = f"  nearest: stack.{server.field}.minutes: more than {server.config.minutes}"
    assert more in lines


def test_what_the_config_refuses_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(out_of_stock, "accepts", lambda *given: False)
    lines = ending(NO_STOCK, urns={NO_STOCK: [POOL]})
    assert not any("stack.pools.gpu." in it for it in lines)
    assert lines[-2].startswith("  nearest: gcp:zone, with its gcp:region: us-")


def test_a_stock_out_of_pods_names_the_pool_by_its_machine() -> None:
    waits = f"RayCluster default/dev: a worker waits: {NO_STOCK}"
    lines = ending(waits, urns={waits: [urn("kubernetes:ray.io/v1:RayCluster", "dev-cluster")]})
    assert lines[0] == f"stack.pools.gpu: {waits}"


def test_a_missing_permission_is_told_once_with_its_smallest_role() -> None:
    denied = "PERMISSION_DENIED: Permission 'serviceusage.services.enable' denied on resource '{}'."
    names = ["apis-compute", "apis-iam", "apis-container", "apis-storage", "apis-monitoring"]
    token = "gcp:projects/service:Service"
    urns = {denied.format(it): [urn(token, it)] for it in names}
    assert ending(*urns, urns=urns) == [
        denied.format("apis-compute"),
        "  the same for apis-iam, apis-container, apis-storage and 1 more",
        "  nearest: roles/serviceusage.serviceUsageAdmin, the smallest role that has it",
        "  nearest: all roles for the stack: make roles STACK=dev",
    ]


@pytest.mark.parametrize(
    ("has_project", "near"),
    [(False, "--project FILE: "), (True, "the part, in the file of --project: ")],
)
def test_an_existing_part_that_a_sandbox_lacks_leads_to_the_file_that_has_it(
    has_project: bool, near: str
) -> None:
    said = 'stack.network.existing.network: "mine" in project p could not be read: Error 403'
    lines = ending(said, has_project=has_project)
    assert lines[0] == said
    assert lines[1].startswith(f"  nearest: {near}")


def test_what_has_nothing_nearer_stands_alone() -> None:
    assert ending("INTERNAL: told to fail", plan=None) == ["INTERNAL: told to fail"]


def test_an_error_that_says_nothing_is_told_only_where_nothing_else_is() -> None:
    report = EngineReport()
    report.failed = True
    for message in ("update failed", PROGRAM_ENDED):
        report.note(message, None)
    report.note("why", POOL)
    report.note("why", POOL)
    report.end()
    assert report.diagnostics == ["why"]
    assert report.urns == {"why": [POOL]}
    silent = EngineReport(failed=True)
    silent.note("update failed", None)
    silent.end()
    assert silent.diagnostics == ["update failed"]


ROWS = """\
Updating (dev):

 +  gcp:container:NodePool gpu-pool creating (0s)
 +  gcp:container:NodePool gpu-pool creating (0s) error: NO: none
 +  gcp:container:NodePool gpu-pool **creating failed** error: NO: none
 +  pulumi:pulumi:Stack gke-ai-stacks-dev creating (2s) error: update failed
 +  pulumi:pulumi:Stack gke-ai-stacks-dev **creating failed** 1 error
Diagnostics:
  pulumi:pulumi:Stack (gke-ai-stacks-dev):
    error: update failed

  gcp:container:NodePool (gpu-pool):
    error: NO: none
    Why: an error: of two lines

Outputs:
    name: "error: not one"

Resources:
    2 errored
"""
SHOWN = """\
Updating (dev):

 +  gcp:container:NodePool gpu-pool creating (0s)
 +  gcp:container:NodePool gpu-pool **creating failed**
 +  pulumi:pulumi:Stack gke-ai-stacks-dev **creating failed** 1 error
Outputs:
    name: "error: not one"

Resources:
    2 errored
"""


@pytest.mark.parametrize("color", ["", "\x1b[31m"])
def test_the_live_output_leaves_errors_to_the_end_of_the_run(color: str) -> None:
    told: list[str] = []
    output = LiveOutput(told.append)
    for line in ROWS.splitlines():
        output(line.replace("error:", f"{color}error:"))
    shown = "\n".join(told).replace(color, "") if color else "\n".join(told)
    assert shown + "\n" == SHOWN


def test_outputs_that_the_end_of_a_run_has_whole_are_not_told_twice() -> None:
    told: list[str] = []
    output = LiveOutput(told.append, outputs=False)
    for line in (
        "Outputs:",
        '    bucket_url: "gs://b"',
        "",
        '    name: "x"',
        "Resources:",
        "    + 1",
    ):
        output(line)
    assert told == ["Resources:", "    + 1"]


def test_what_is_there_and_not_on_record_is_imported_with_its_parent_and_provider() -> None:
    start = "urn:pulumi:held::p::"
    component = "gke-ai-stacks:bucket:Bucket"
    bucket = f"{start}{component}$gcp:storage/bucket:Bucket::data-bucket"
    known = [
        f"{start}{component}::data",
        f"{start}{component}::da",
        f"{start}pulumi:providers:gcp::google",
    ]
    said = "ALREADY_EXISTS: runs: Your previous request to create the named bucket succeeded."
    report = EngineReport(
        diagnostics=[said],
        urns={said: [bucket]},
        resources=[ResourceOperation(it, "", "same") for it in known],
    )
    context = Context(validate(DEV), "make roles STACK=dev", GRANTS)
    assert list(failure_lines(report, context)) == [
        said,
        "  nearest: pulumi import gcp:storage/bucket:Bucket data-bucket runs --stack held "
        f"--parent parent={known[0]} --provider google={known[2]} --protect=false "
        "--generate-code=false, where it is this stack's",
        "  nearest: another name, or `existing` where its part of the config takes one",
    ]


def test_an_object_that_a_destroy_left_in_its_cluster_goes_with_the_destroy() -> None:
    said = "ALREADY_EXISTS: Namespace kueue-system already exists"
    urn = "urn:pulumi:lab::p::kueue:Kueue$kubernetes:core/v1:Namespace::kueue-namespace"
    report = EngineReport(diagnostics=[said], urns={said: [urn]})
    context = Context(validate(DEV), "make roles STACK=lab", GRANTS)
    assert list(failure_lines(report, context)) == [
        said,
        "  nearest: `pulumi destroy --stack lab` again, where one was cut off before the cluster "
        "(docs/clean-up.md)",
        "  nearest: another name, where it is another stack's",
    ]


def test_a_bucket_that_holds_objects_is_emptied_before_the_same_destroy() -> None:
    full = (
        "FAILED_PRECONDITION: Error trying to delete bucket my-data containing objects without "
        "`forceDestroy` set to true"
    )
    assert ending(full) == [
        full,
        "  nearest: `gcloud storage rm --recursive 'gs://my-data/**'` if they may go, then the "
        "same again",
    ]


@pytest.mark.parametrize("denied", [it.denied for it in customer_keys().services.values()])
def test_a_key_that_a_service_may_not_use_is_no_matter_of_the_callers_roles(denied: str) -> None:
    key = "projects/my-keys/locations/us-central1/keyRings/ring/cryptoKeys/key"
    said = f"PERMISSION_DENIED: {denied.format(key=key)}"
    assert ending(said) == [
        said,
        f"  nearest: {GRANTS}: its commands, by whoever administers the key",
        "  nearest: in the sandbox: the key with its services under `keys` in a file of --project",
    ]
