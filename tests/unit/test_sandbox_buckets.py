"""The simulated cloud's rules for buckets, bindings on them and identities; most of what they
refuse stands in cloud_refusals.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog import Catalog
from sandbox.cloud.given_back import GivenBack
from sandbox.cloud.reservations import Reservations
from sandbox.cloud.resource import Resource
from sandbox.cloud_store import cloud_at
from sandbox.errors import CloudError
from tests.unit.simulated_project import (
    ACCOUNT,
    APIS,
    BUCKET,
    BUCKET_MEMBER,
    CLUSTER,
    MEMBER,
    P,
    Project,
)

HIERARCHICAL = {"hierarchicalNamespace": {"enabled": True}, "uniformBucketLevelAccess": True}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS, "storage")
    return made


def bucket(project: Project, **inputs: Any) -> Resource:
    return project.make(BUCKET, **{"name": "runs", "location": "US-EAST1", **inputs})


def cluster_of(project: Project, **inputs: Any) -> Resource:
    network = project.network()
    return project.cluster(network, project.subnet(network), **inputs)


def identity(project: Project, owner: str = P, number: str | None = None) -> str:
    number = number or project.cloud.project_number(owner)
    return (
        f"principal://iam.googleapis.com/projects/{number}/locations/global/"
        f"workloadIdentityPools/{owner}.svc.id.goog/subject/ns/training/sa/trainer"
    )


def bind(project: Project, member: str, **inputs: Any) -> Resource:
    wanted = {"bucket": "runs", "role": "roles/storage.objectUser", "member": member}
    return project.make(BUCKET_MEMBER, **{**wanted, **inputs})


def test_a_bucket_is_known_by_its_name_alone(project: Project) -> None:
    made = bucket(project)
    assert made.id == "runs"
    assert made.outputs["url"] == "gs://runs"
    assert made.outputs["selfLink"].endswith("/b/runs")


def test_a_bucket_takes_a_hundred_rules_for_objects(project: Project) -> None:
    rule = {"action": {"type": "Delete"}, "condition": {"age": 1}}
    made = bucket(project, lifecycleRules=[rule] * 100)
    with pytest.raises(CloudError, match=r"101 are more than 100$"):
        project.cloud.update(BUCKET, made.id, {**made.inputs, "lifecycleRules": [rule] * 101})


def test_a_key_that_a_bucket_has_is_not_asked_for_again(project: Project) -> None:
    key = "projects/k/locations/us-east1/keyRings/r/cryptoKeys/key"
    project.cloud.reservations = Reservations(keys={key: frozenset({"storage"})})
    made = bucket(project, encryption={"defaultKmsKeyName": key})
    project.cloud.reservations = Reservations()
    project.cloud.update(BUCKET, made.id, {**made.inputs, "labels": {"team": "a"}})


def holding_objects(project: Project, made: Resource) -> Resource:
    held = project.cloud.get(made.id)
    assert held is not None
    held.outputs["objects"] = True
    return held


def test_a_bucket_with_objects_goes_only_by_force(project: Project) -> None:
    kept = holding_objects(project, bucket(project))
    with pytest.raises(CloudError, match=r"without `forceDestroy` set to true$"):
        project.delete(kept)
    project.cloud.update(BUCKET, kept.id, {**kept.inputs, "forceDestroy": True})
    forced = project.cloud.get(kept.id)
    assert forced is not None
    project.delete(forced)
    assert project.cloud.get("runs") is None


def test_folders_outlive_their_objects_and_keep_the_bucket(project: Project) -> None:
    made = holding_objects(project, bucket(project, **HIERARCHICAL, forceDestroy=True))
    with pytest.raises(CloudError, match="is not empty: runs has folders"):
        project.delete(made)
    assert project.cloud.get("runs") is not None


def test_a_bucket_takes_its_bindings_with_it(project: Project) -> None:
    cluster_of(project, workloadIdentityConfig={"workloadPool": f"{P}.svc.id.goog"})
    made = bucket(project)
    member = bind(project, identity(project))
    project.delete(made)
    assert project.cloud.get(member.id) is None


def test_a_binding_that_is_there_is_taken_for_the_new_one_and_goes_with_the_first_delete(
    project: Project,
) -> None:
    bucket(project)
    first, second = bind(project, "allUsers"), bind(project, "allUsers")
    assert first.id == second.id
    project.delete(first)
    assert project.cloud.get(second.id) is None


def test_a_binding_for_an_account_is_known_by_it(project: Project) -> None:
    bucket(project)
    account = project.make(ACCOUNT, accountId="trainer")
    member = bind(project, account.outputs["member"])
    assert member.id == f"b/runs/roles/storage.objectUser/{account.outputs['member']}"
    answered = GivenBack.load().of(member.token).answered(member.inputs)
    assert answered["bucket"] == "b/runs"


@pytest.mark.parametrize(
    "inputs",
    [
        {"workloadIdentityConfig": {"workloadPool": f"{P}.svc.id.goog"}},
        {"enableAutopilot": True, "nodeLocations": None},
    ],
)
def test_a_pod_of_a_cluster_with_workload_identity_can_be_bound(
    project: Project, inputs: dict[str, Any]
) -> None:
    bucket(project)
    cluster_of(project, **inputs)
    bind(project, identity(project))


def test_no_pod_can_be_bound_before_the_first_cluster_with_workload_identity(
    project: Project,
) -> None:
    bucket(project)
    cluster = cluster_of(project)
    for make in (bind, bind_to_project):
        with pytest.raises(CloudError, match=r"Identity Pool does not exist \(p1.svc.id.goog\)$"):
            make(project, identity(project))
    on = {"workloadIdentityConfig": {"workloadPool": f"{P}.svc.id.goog"}}
    project.cloud.update(CLUSTER, cluster.id, {**cluster.inputs, **on})
    bind(project, identity(project))


def bind_to_project(project: Project, member: str) -> Resource:
    return project.make(MEMBER, role="roles/storage.objectUser", member=member)


def test_an_identity_pool_outlives_its_cluster_and_the_command(
    project: Project, tmp_path: Path
) -> None:
    project.delete(cluster_of(project, enableAutopilot=True, nodeLocations=None))
    assert cloud_at(tmp_path / "cloud.json", Catalog.load()).identity_pools == [P]


def test_an_identity_names_the_projects_own_number(project: Project) -> None:
    bucket(project)
    cluster_of(project, enableAutopilot=True, nodeLocations=None)
    number = project.cloud.project_number(P)
    with pytest.raises(CloudError, match=rf"the number of p1 is {number}$"):
        bind(project, identity(project, number="123"))
