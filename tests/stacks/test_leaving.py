"""A stack can be left: a destroy that would end half-way is refused before it deletes anything, and
the commands that the refusal names end it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.faults import Faults
from tests.stacks.agreed import brought
from tests.stacks.by_hand import follow, lose_clusters, resources_of, said
from tests.stacks.config_sandbox import config_sandbox
from tests.stacks.conftest import Sandbox, changed
from tests.stacks.kills import PATIENCE_SECONDS

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(PATIENCE_SECONDS)]

OFF: dict[str, Any] = {"deletion_protection": False}
WITH_PROGRAM = {"run_program": True}
# The first update of the cluster is the one that turns its own protection off.
BUSY_CLUSTER = {
    "kind": "fail",
    "type": "gcp:container/cluster:Cluster",
    "operation": "update",
    "nth": 1,
    "message": "Cluster is running incompatible operation",
}
NO_LUSTRE_VOLUME = {
    "kind": "fail",
    "type": "kubernetes:core/v1:PersistentVolumeClaim",
    "operation": "create",
    "nth": 1,
    "message": "quota",
}


def faulty(rules: list[dict[str, Any]]) -> Faults:
    return Faults.model_validate({"rules": rules})


@pytest.mark.parametrize(
    ("first", "then"),
    [([], []), ([], [BUSY_CLUSTER]), ([NO_LUSTRE_VOLUME], [])],
    ids=["no up with protection off", "the cluster's update fails", "the first up failed"],
)
def test_a_cluster_that_the_state_still_protects_stops_a_destroy_before_anything_is_gone(
    tmp_path: Path, first: list[dict[str, Any]], then: list[dict[str, Any]]
) -> None:
    assert brought(tmp_path).run("up", faults=faulty(first)).ok is not bool(first)
    off = brought(tmp_path, **OFF)
    if then:
        assert not off.run("up", faults=faulty(then)).ok
    before = resources_of(off)
    refused = off.run("destroy", only=WITH_PROGRAM)
    assert not refused.ok
    assert "The state still has the old value for gke-cluster (deletionP" in said(refused)
    assert resources_of(off) == before
    assert follow(off, said(refused)) == ""
    assert resources_of(off) == []


def test_a_bucket_that_the_state_lets_no_destroy_empty_stops_one_before_anything_is_gone(
    tmp_path: Path,
) -> None:
    flat: dict[str, Any] = {"hierarchical_namespace": False}
    brought(tmp_path, buckets={"data": flat}).succeed("up")
    off = brought(tmp_path, **OFF, buckets={"data": {**flat, "force_destroy": True}})
    before = resources_of(off)
    refused = off.run("destroy", only=WITH_PROGRAM)
    for locked in ("gke-cluster (deletionProtection)", "data-bucket (forceDestroy)"):
        assert locked in said(refused)
    assert resources_of(off) == before
    assert follow(off, said(refused)) == ""
    assert resources_of(off) == []


PLATFORM: dict[str, Any] = {
    "name": "base",
    **OFF,
    "cluster": {"location": "zonal"},
    "pools": {"cpu": {"machine_type": "e2-standard-8", "nodes": 1}},
}
WORKLOAD: dict[str, Any] = {
    "name": "work",
    "namespace": "work",
    "cluster": {"stack": "organization/gke-ai-stacks/base"},
    "pools": {"gpu": {"machine_type": "g2-standard-8", "nodes": 1}},
    "buckets": {"data": {}},
}


@pytest.fixture
def forgetting(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the commands of these refusals begin with."""
    monkeypatch.setenv("PULUMI_K8S_DELETE_UNREACHABLE", "true")


@pytest.fixture
def without_platform(tmp_path: Path, forgetting: None) -> Sandbox:
    """A protected workload, whose platform is gone with its cluster."""
    platform, work = config_sandbox(tmp_path, **PLATFORM), config_sandbox(tmp_path, **WORKLOAD)
    platform.succeed("up")
    work.succeed("up")
    lose_clusters(platform)
    platform.succeed("refresh")
    platform.succeed("destroy")
    return work


def test_a_protected_stack_whose_cluster_is_gone_makes_it_again(
    tmp_path: Path, forgetting: None
) -> None:
    sandbox = brought(tmp_path)
    sandbox.succeed("up")
    everything = resources_of(sandbox)
    lose_clusters(sandbox)
    sandbox.succeed("refresh")
    sandbox.succeed("up")
    assert resources_of(sandbox) == everything
    assert changed(sandbox.succeed("preview")) == {}


def test_without_the_variable_what_was_in_a_cluster_that_is_gone_stays_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal that follows says how it goes."""
    sandbox = brought(tmp_path)
    sandbox.succeed("up")
    lose_clusters(sandbox)
    refresh = sandbox.run("refresh")
    assert "configured Kubernetes cluster is unreachable" in said(refresh)
    refused = sandbox.run("preview")
    assert "own cluster held at https://" in said(refused)
    command = "PULUMI_K8S_DELETE_UNREACHABLE=true pulumi refresh --stack held"
    assert f"  {command}\n  pulumi up --stack held" in said(refused)
    monkeypatch.setenv("PULUMI_K8S_DELETE_UNREACHABLE", "true")
    sandbox.succeed("refresh")
    sandbox.succeed("up")


def test_a_protected_stack_whose_cluster_is_gone_is_left(tmp_path: Path, forgetting: None) -> None:
    brought(tmp_path).succeed("up")
    lose_clusters(brought(tmp_path))
    off = brought(tmp_path, **OFF)
    off.succeed("refresh")
    left = off.run("destroy", only=WITH_PROGRAM)
    assert left.ok, said(left)
    assert resources_of(off) == []


def test_a_protected_workload_whose_platform_is_gone_is_told_once_and_left(
    tmp_path: Path, without_platform: Sandbox
) -> None:
    refused = without_platform.run("up")
    assert said(refused).count("it has no outputs; nearest: `pulumi up --stack ") == 1
    assert "`pulumi destroy --stack work --run-program`" in said(refused)
    assert "without stack.cluster in the stack's file" in said(refused)
    without_platform.succeed("refresh")
    alone = {key: it for key, it in WORKLOAD.items() if key != "cluster"}
    work = config_sandbox(tmp_path, **alone, **OFF)
    left = work.run("destroy", only=WITH_PROGRAM)
    assert left.ok, said(left)
    assert resources_of(work) == []


def test_a_protected_workload_comes_up_on_its_platform_that_was_made_again(
    tmp_path: Path, without_platform: Sandbox
) -> None:
    config_sandbox(tmp_path, **PLATFORM).succeed("up")
    without_platform.succeed("refresh")
    without_platform.succeed("up")
    assert changed(without_platform.succeed("preview")) == {}
