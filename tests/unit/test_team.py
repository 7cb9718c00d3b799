"""A team's part of a cluster, as registered; what Kubernetes makes of it the tests of the sandbox
and of the real control plane show."""

from typing import Any

import pytest

from components.team_quota import TeamQuotaArgs, quota_spec, storage_spec
from tests.conftest import PROJECT_NUMBER, Recording, Register
from tests.unit.team_samples import ADA, AUDIT, VISION, make_team

IDENTITY = (
    f"principal://iam.googleapis.com/projects/{PROJECT_NUMBER}/locations/global/"
    "workloadIdentityPools/p.svc.id.goog/subject/ns/vision/sa/trainer"
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: make_team(**values))


def test_the_namespace_says_whose_it_is_and_what_its_pods_may_ask_of_nodes(
    register: Register,
) -> None:
    assert made(register).one(":Namespace").inputs["metadata"] == {
        "name": "vision",
        "labels": {
            "stack": "test",
            "gke-ai-stacks/team": "vision",
            "pod-security.kubernetes.io/enforce": "baseline",
            "pod-security.kubernetes.io/warn": "baseline",
        },
    }


def test_each_role_is_bound_to_its_members_in_a_stable_order(register: Register) -> None:
    recording = made(register)
    edit = recording.named("vision-edit-binding").inputs
    api = "rbac.authorization.k8s.io"
    assert edit["roleRef"] == {"apiGroup": api, "kind": "Role", "name": "team-edit"}
    assert edit["subjects"] == [
        {"apiGroup": api, "kind": "Group", "name": "vision@example.com"},
        {"apiGroup": api, "kind": "User", "name": "ada@example.com"},
    ]
    (viewer,) = recording.named("vision-view-binding").inputs["subjects"]
    assert viewer["name"] == "audit@example.com"
    again = made(register, members=[AUDIT, ADA, VISION, ADA]).named("vision-edit-binding")
    assert again.inputs["subjects"] == edit["subjects"]


def test_a_role_that_nobody_has_is_not_made(register: Register) -> None:
    names = made(register, members=[ADA]).names()
    assert {"vision-edit-role", "vision-edit-binding"} <= names
    assert not {"vision-view-role", "vision-view-binding"} & names
    assert not made(register, members=[]).of_type(":RoleBinding")


def test_the_quota_is_of_requests_and_pods(register: Register) -> None:
    assert made(register).named("vision-quota").inputs["spec"] == {
        "hard": {
            "requests.cpu": "32",
            "requests.memory": "64Gi",
            "requests.nvidia.com/gpu": "4",
            "pods": "20",
        }
    }


@pytest.mark.parametrize(
    ("values", "hard"),
    [
        ({"cpu": 1500}, {"requests.cpu": "1500m"}),
        ({"cpu": 2_000_000}, {"requests.cpu": "2k"}),
        ({"cpu": 0}, {"requests.cpu": "0"}),
        ({"memory": 1536}, {"requests.memory": "1536Mi"}),
        ({"memory": 1024 * 1024}, {"requests.memory": "1Ti"}),
        ({"pods": 1000}, {"pods": "1k"}),
        ({"devices": {"google.com/tpu": 0}}, {"requests.google.com/tpu": "0"}),
    ],
)
def test_amounts_are_written_as_an_api_server_gives_them_back(
    values: dict[str, Any], hard: dict[str, str]
) -> None:
    assert quota_spec(TeamQuotaArgs(**{"default_cpu": 100, **values})) == {"hard": hard}


def test_what_the_quota_makes_obligatory_has_a_default_before_it(register: Register) -> None:
    recording = made(register)
    assert recording.one(":LimitRange").inputs["spec"] == {
        "limits": [
            {"type": "Container", "defaultRequest": {"cpu": "100m", "memory": "256Mi"}},
        ]
    }
    assert "vision-defaults" in recording.waits_for("vision-quota")


def test_a_quota_of_devices_alone_makes_nothing_obligatory(register: Register) -> None:
    recording = made(register, quota=TeamQuotaArgs(devices={"google.com/tpu": 8}, default_cpu=100))
    assert recording.named("vision-quota").inputs["spec"] == {
        "hard": {"requests.google.com/tpu": "8"}
    }
    assert not recording.of_type(":LimitRange")


def test_what_counts_by_its_requests_in_a_queue_has_some(register: Register) -> None:
    recording = made(register, quota=None, queued=True)
    assert recording.one(":LimitRange").inputs["spec"]["limits"] == [
        {"type": "Container", "defaultRequest": {"cpu": "100m", "memory": "256Mi"}}
    ]
    assert "vision-quota" not in recording.names()


def test_without_a_quota_storage_alone_is_limited(register: Register) -> None:
    recording = made(register, quota=None)
    assert recording.one(":ResourceQuota").name == "vision-storage"
    assert not recording.of_type(":LimitRange")


@pytest.mark.parametrize(("gib", "written"), [(0, "0"), (10, "10Gi"), (2048, "2Ti")])
def test_a_team_stores_what_the_config_gives_and_by_default_nothing(
    register: Register, gib: int, written: str
) -> None:
    values = {"storage_gib": gib} if gib else {}
    spec = made(register, **values).named("vision-storage").inputs["spec"]
    assert spec == {"hard": {"requests.storage": written}}


def test_storage_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"nearest: 0$"):
        storage_spec(-1)


@pytest.mark.parametrize(
    ("values", "end"),
    [
        ({}, "nearest: pods"),
        ({"cpu": -1}, "nearest: 0"),
        ({"devices": {"gpu": 1}}, "nearest: nvidia.com/gpu"),
        ({"pods": 1, "default_cpu": 0}, "nearest: 1"),
        ({"memory": 100}, "nearest: 100"),
    ],
)
def test_a_quota_that_runs_nothing_or_limits_nothing_is_refused(
    values: dict[str, Any], end: str
) -> None:
    with pytest.raises(ValueError, match=f"{end}$"):
        TeamQuotaArgs(**{"default_cpu": 100, **values})


def test_pods_of_the_team_have_their_own_rights_on_buckets(register: Register) -> None:
    recording = made(register)
    grants = {it.name: it.inputs for it in recording.of_type(":BucketIAMMember")}
    assert grants == {
        "vision-data-grant": {
            "bucket": "vision-data",
            "role": "roles/storage.objectViewer",
            "member": IDENTITY,
        },
        "vision-runs-grant": {
            "bucket": "vision-runs",
            "role": "roles/storage.objectUser",
            "member": IDENTITY,
        },
    }


def test_workloads_come_after_what_bounds_them(register: Register) -> None:
    recording = made(register)
    assert recording.outputs[recording.named("vision").urn] == {
        "namespace": "vision",
        "service_account": "trainer",
    }
    assert recording.named("vision-quota").dependencies
    assert {"vision-namespace", "vision-defaults"} <= recording.waits_for("vision-quota")


def test_pods_of_other_teams_and_of_default_stay_out(register: Register) -> None:
    spec = made(register).one(":NetworkPolicy").inputs["spec"]
    assert spec["podSelector"] == {}
    (rule,) = spec["ingress"]
    own, elsewhere, no_pod = rule["from"]
    assert own == {"podSelector": {}}
    assert elsewhere["namespaceSelector"]["matchExpressions"] == [
        {"key": "gke-ai-stacks/team", "operator": "DoesNotExist"},
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["default"]},
    ]
    assert no_pod == {"ipBlock": {"cidr": "0.0.0.0/0"}}


def test_pods_that_mount_their_nodes_folders_need_another_level(register: Register) -> None:
    labels = made(register, pod_security="privileged").one(":Namespace").inputs["metadata"]
    assert labels["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    with pytest.raises(ValueError, match=r"nearest: baseline$"):
        made(register, pod_security="restricted")
