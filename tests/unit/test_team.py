"""A team's part of a cluster, as registered; what Kubernetes makes of it the tests of the sandbox
and of the real control plane show."""

from typing import Any

import pytest

from components.base.component import check_arguments
from components.teams.quota import TeamQuotaArgs, quota_spec, storage_spec
from tests.conftest import Recording, Register
from tests.unit.team_samples import ADA, AUDIT, VISION, make_team


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: make_team(**values))


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


def test_storage_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"nearest: 0$"):
        storage_spec(-1)


@pytest.mark.parametrize(
    ("values", "end"),
    [
        ({}, "limits nothing; nearest: 100"),
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
        check_arguments(TeamQuotaArgs(**{"default_cpu": 100, **values}))


def test_workloads_come_after_what_bounds_them(register: Register) -> None:
    recording = made(register)
    assert recording.outputs[recording.named("vision").urn] == {
        "namespace": "vision",
        "service_account": "trainer",
    }
    assert recording.named("vision-quota").dependencies
    assert {"vision-namespace", "vision-defaults"} <= recording.waits_for("vision-quota")


def test_pods_that_mount_their_nodes_folders_need_another_level(register: Register) -> None:
    labels = made(register, pod_security="privileged").one(":Namespace").inputs["metadata"]
    assert labels["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    with pytest.raises(ValueError, match=r"nearest: baseline$"):
        made(register, pod_security="restricted")
