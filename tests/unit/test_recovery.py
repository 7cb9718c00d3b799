"""Pending creates become resources with the ids that they must have."""

from __future__ import annotations

import errno
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from recovery.__main__ import main
from recovery.advice import default_pools
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
        ("kubernetes:helm.sh/v3:Release", {"name": "kueue", "namespace": "k"}, "k/kueue"),
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


BOARD = {"project": "p1", "dashboardJson": json.dumps({"displayName": "dev's board"})}
DASHBOARD = "gcp:monitoring/dashboard:Dashboard"


def test_a_create_with_an_id_of_the_clouds_choice_is_adopted_once_it_was_looked_up() -> None:
    operation = pending(DASHBOARD, BOARD)
    deployment = {"resources": [], "pending_operations": [operation]}
    adoption = adopt_pending(deployment)
    urn = operation["resource"]["urn"]
    assert [orphan.urn for orphan in adoption.orphans] == [urn]
    assert adoption.deployment["resources"] == []
    found = adopt_pending(deployment, {urn: "projects/1/dashboards/a1"})
    assert found.deployment["resources"][0]["id"] == "projects/1/dashboards/a1"
    assert found.orphans == ()


def test_the_second_half_of_a_replacement_takes_its_predecessors_place() -> None:
    """The predecessor is deleted, and stands in the state until the replacement is made."""
    operation = pending(NETWORK, {"name": "net", "mtu": 8896})
    predecessor = {**operation["resource"], "id": "old", "pendingReplacement": True}
    dependent = {"urn": "urn:pulumi:s::p::x::later", "type": "x"}
    resources = [PROVIDER, predecessor, dependent]
    adoption = adopt_pending({"resources": resources, "pending_operations": [operation]})
    _, made, last = adoption.deployment["resources"]
    assert made["id"] == "projects/p1/global/networks/net"
    assert made["inputs"]["mtu"] == 8896
    assert "pendingReplacement" not in made
    assert last == dependent


def test_an_adopted_cluster_still_has_the_pool_that_gke_began_it_with() -> None:
    token = "gcp:container/cluster:Cluster"
    inputs = {"project": "p", "location": "l", "name": "c", "removeDefaultNodePool": True}
    adoption = adopt_pending({"pending_operations": [pending(token, inputs)]})
    [cluster] = adoption.deployment["resources"]
    assert cluster["inputs"]["removeDefaultNodePool"] is True
    assert cluster["outputs"]["removeDefaultNodePool"] is False
    assert list(default_pools(adoption)) == [
        "the next `up` updates removeDefaultNodePool of cluster c: it takes away the pool that GKE "
        "began the cluster with"
    ]


def test_pending_updates_and_deletes_are_dropped_for_their_resources_are_still_there() -> None:
    operations = [pending(NETWORK, {"name": "n"}, kind) for kind in ("updating", "deleting")]
    adoption = adopt_pending({"resources": [PROVIDER], "pending_operations": operations})
    assert adoption.deployment == {"resources": [PROVIDER]}


def exported(folder: Path, *operations: dict[str, Any]) -> Path:
    file = folder / "s-state.json"
    deployment = {"resources": [PROVIDER], "pending_operations": list(operations)}
    file.write_text(json.dumps({"version": 3, "deployment": deployment}))
    return file


def test_the_command_rewrites_an_exported_state_and_says_what_to_run_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = exported(tmp_path, pending(NETWORK, {"name": "net"}))
    before = file.read_text()
    assert main([str(file)]) == 0
    assert len(json.loads(file.read_text())["deployment"]["resources"]) == 2
    said = capsys.readouterr().out
    assert f"pulumi stack import --stack s --file {file}\n" in said
    assert "pulumi refresh --stack s --target 'urn:pulumi:s::p::" in said
    assert (tmp_path / "s-state.json.bak").read_text() == before


def test_a_dashboard_is_looked_up_by_its_title_with_a_command_that_can_be_pasted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    operation = pending(DASHBOARD, BOARD)
    file = exported(tmp_path, operation)
    assert main([str(file)]) == 0
    said = capsys.readouterr().out
    command = next(line for line in said.splitlines() if "gcloud" in line).split(":", 1)[1]
    assert shlex.split(command)[:7] == [
        *("gcloud", "monitoring", "dashboards", "list", "--project", "p1"),
        "--filter",
    ]
    assert 'displayName="dev\'s board"' in shlex.split(command)
    urn = operation["resource"]["urn"]
    again = exported(tmp_path, operation)
    assert main([str(again), "--id", f"{urn}=projects/1/dashboards/a1"]) == 0
    assert json.loads(again.read_text())["deployment"]["resources"][1]["id"].endswith("/a1")


def test_a_state_with_nothing_pending_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s-state.json"
    file.write_text('{"version": 3, "deployment": {}}')
    assert main([str(file)]) == 0
    assert capsys.readouterr().out == "no operation is pending: there is nothing to do\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_disk_that_is_full_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = exported(tmp_path, pending(NETWORK, {"name": "net"}))
    before = file.read_text()

    # As a disk does: half is written, then it says no.
    def half(self: Path, text: str, **_: Any) -> int:
        with self.open("w") as stream:
            stream.write(text[: len(text) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", half)
    assert main([str(file)]) == 1
    assert file.read_text() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "not json",
        "[]",
        "null",
        "3",
        '{"deployment": null}',
        '{"deployment": []}',
        '{"deployment": {"resources": 3}}',
        '{"deployment": {"resources": [3]}}',
        '{"deployment": {"resources": [{"id": "no urn"}]}}',
        '{"deployment": {"pending_operations": [{}]}}',
        '{"deployment": {"pending_operations": [{"resource": {"urn": "u", "type": "t"}}]}}',
    ],
)
def test_the_command_refuses_what_is_no_state(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "state.json"
    file.write_text(text)
    assert main([str(file)]) == 1
    assert capsys.readouterr().err.startswith(f"{file}: not an exported state: ")
    assert file.read_text() == text
