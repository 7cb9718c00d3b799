"""Pending creates become resources with the ids that they must have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recovery.__main__ import main
from recovery.ids import resource_id
from recovery.pending import adopt_pending

NETWORK = "gcp:compute/network:Network"
PROVIDER = {
    "urn": "urn:pulumi:s::p::pulumi:providers:gcp::google",
    "type": "pulumi:providers:gcp",
    "inputs": {"project": "p1", "region": "us-east1"},
}


def pending(token: str, inputs: dict[str, Any], kind: str = "creating") -> dict[str, Any]:
    urn = f"urn:pulumi:s::p::{token}::it"
    return {"type": kind, "resource": {"urn": urn, "type": token, "inputs": inputs}}


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (NETWORK, {"project": "p", "name": "net"}, "projects/p/global/networks/net"),
        (
            "gcp:container/nodePool:NodePool",
            {"cluster": "projects/p/locations/l/clusters/c", "name": "gpu"},
            "projects/p/locations/l/clusters/c/nodePools/gpu",
        ),
        (
            "gcp:container/nodePool:NodePool",
            {"project": "p", "location": "l", "cluster": "c", "name": "gpu"},
            "projects/p/locations/l/clusters/c/nodePools/gpu",
        ),
        (
            "gcp:serviceaccount/account:Account",
            {"project": "p", "accountId": "nodes"},
            "projects/p/serviceAccounts/nodes@p.iam.gserviceaccount.com",
        ),
        (
            "gcp:servicenetworking/connection:Connection",
            {"network": "projects/p/global/networks/n", "service": "s.googleapis.com"},
            "projects%2Fp%2Fglobal%2Fnetworks%2Fn:s.googleapis.com",
        ),
        (
            "gcp:compute/firewall:Firewall",
            {"project": "p", "name": "internal"},
            "projects/p/global/firewalls/internal",
        ),
        ("gcp:storage/bucket:Bucket", {"project": "p", "name": "runs"}, "runs"),
        (
            "gcp:storage/bucketIAMMember:BucketIAMMember",
            {"bucket": "runs", "role": "roles/storage.objectUser", "member": "allUsers"},
            "b/runs/roles/storage.objectUser/allUsers",
        ),
        ("kubernetes:core/v1:Secret", {"metadata": {"name": "t", "namespace": "d"}}, "d/t"),
        ("kubernetes:core/v1:PersistentVolume", {"metadata": {"name": "pv"}}, "pv"),
        ("gcp:monitoring/dashboard:Dashboard", {"project": "p", "dashboardJson": "{}"}, None),
        (NETWORK, {"project": "p"}, None),
    ],
)
def test_an_id_is_derived_from_the_inputs_alone(
    token: str, inputs: dict[str, Any], expected: str | None
) -> None:
    assert resource_id(token, inputs) == expected


def test_a_pending_create_is_adopted_with_the_providers_own_project() -> None:
    deployment = {
        "resources": [PROVIDER],
        "pending_operations": [pending(NETWORK, {"name": "net"})],
    }
    adoption = adopt_pending(deployment)
    assert "pending_operations" not in adoption.deployment
    adopted = adoption.deployment["resources"][-1]
    assert adopted["id"] == "projects/p1/global/networks/net"
    assert adoption.adopted == (adopted["urn"],)


def test_a_create_with_an_id_of_the_clouds_choice_is_named_as_an_orphan() -> None:
    operation = pending("gcp:monitoring/dashboard:Dashboard", {"dashboardJson": "{}"})
    adoption = adopt_pending({"resources": [], "pending_operations": [operation]})
    assert adoption.orphans == (operation["resource"]["urn"],)
    assert adoption.deployment["resources"] == []


def test_pending_updates_and_deletes_are_dropped_for_their_resources_are_still_there() -> None:
    operations = [pending(NETWORK, {"name": "n"}, kind) for kind in ("updating", "deleting")]
    adoption = adopt_pending({"resources": [PROVIDER], "pending_operations": operations})
    assert adoption.deployment == {"resources": [PROVIDER]}


def test_the_command_rewrites_an_exported_state_and_says_what_to_run_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "state.json"
    operations = [pending(NETWORK, {"name": "net"})]
    deployment = {"resources": [PROVIDER], "pending_operations": operations}
    file.write_text(json.dumps({"version": 3, "deployment": deployment}))
    assert main([str(file)]) == 0
    assert len(json.loads(file.read_text())["deployment"]["resources"]) == 2
    assert "pulumi refresh --target 'urn:pulumi:s::p::" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{}", "not json"])
def test_the_command_refuses_what_is_no_state(tmp_path: Path, text: str) -> None:
    file = tmp_path / "state.json"
    file.write_text(text)
    assert main([str(file)]) == 1
