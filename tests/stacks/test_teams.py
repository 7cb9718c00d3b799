"""Teams that share a cluster, through the real engine on the sandbox. The program is
one of the tests' own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from kube.objects import JsonObject, Ref
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import in_memory
from sandbox.workspace import Workspace
from tests.stacks import shared_cluster
from tests.stacks.conftest import Sandbox, changed, replaced


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the program is up."""
    folder = tmp_path_factory.mktemp("teams")
    project = shared_cluster.make_project(folder / "project")
    Sandbox(Workspace(folder / "sandbox", "dev", project)).succeed("up")
    return folder


@pytest.fixture
def sandbox(template: Path, tmp_path: Path) -> Sandbox:
    shutil.copytree(template / "sandbox", tmp_path / "sandbox")
    return Sandbox(Workspace(tmp_path / "sandbox", "dev", template / "project"))


@pytest.fixture
def change(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Has the next runs build something else."""

    def to(**changes: Any) -> None:
        for key, value in changes.items():
            monkeypatch.setitem(shared_cluster.CHANGES, key, value)

    return to


def live(sandbox: Sandbox, kind: str, name: str, api_version: str = "v1") -> JsonObject:
    cluster = next(sandbox.cloud.find(Cluster.token))
    where = "" if kind == "Namespace" else "vision"
    ref = Ref(api_version=api_version, kind=kind, namespace=where, name=name)
    found = in_memory(cluster, sandbox.cloud).get(ref)
    assert found is not None
    return found


def test_nothing_is_left_to_do_after_up_nor_after_a_refresh(sandbox: Sandbox) -> None:
    assert changed(sandbox.succeed("preview")) == {}
    sandbox.succeed("refresh")
    assert changed(sandbox.succeed("preview")) == {}


def test_the_teams_pods_run_on_its_own_pool(sandbox: Sandbox) -> None:
    assert {pod.node for pod in sandbox.pods()} == {"gke-shared-vision-0"}


@pytest.mark.thorough
def test_a_larger_quota_comes_in_place(sandbox: Sandbox, change: Any) -> None:
    change(
        replicas=4,
        team={
            "quota": shared_cluster.TeamQuotaArgs(cpu=4000, memory=4096, pods=4, default_cpu=100)
        },
    )
    assert replaced(sandbox.succeed("preview")) == []
    sandbox.succeed("up")
    assert len(sandbox.pods()) == 4
    assert live(sandbox, "ResourceQuota", "team")["spec"]["hard"]["pods"] == "4"


@pytest.mark.thorough
def test_members_labels_and_taints_change_in_place(sandbox: Sandbox, change: Any) -> None:
    taint = shared_cluster.NodeTaintArgs(key="team", value="vision", effect="PreferNoSchedule")
    change(
        team={"members": [shared_cluster.ADA]},
        pool={"node_labels": {"team": "vision", "tier": "a"}, "taints": [taint]},
    )
    assert changed(sandbox.succeed("up")) == {
        "vision-edit-role": "delete",
        "vision-edit-binding": "delete",
        "vision-pool-pool": "update",
    }
    assert {pod.node for pod in sandbox.pods()} == {"gke-shared-vision-0"}


@pytest.mark.thorough
def test_destroy_leaves_nothing(sandbox: Sandbox) -> None:
    assert sandbox.succeed("destroy").cloud == {}
