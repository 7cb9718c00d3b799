"""Quotas and defaults of a namespace in the in-memory Kubernetes API; that a real API server uses
the same words, tests/kube/test_teams.py shows."""

from typing import Any

import pytest

from sandbox.kube.amounts import Amount, total
from sandbox.kube.readiness import health
from sandbox.kube.store import Store
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import changed, cpu_node, job, make, ref, refusal, workload
from tests.unit.quota_samples import FIRST, NAMESPACE, REFUSED, Refused, objects, pod

SMALL = ({"cpu": "100m", "memory": "64Mi"},)


@pytest.fixture
def kube() -> MemoryKube:
    made = MemoryKube({}, [cpu_node(cpu="64", memory="256Gi")])
    for obj in objects():
        made.apply(obj)
    return made


def in_team(manifest: dict[str, Any]) -> dict[str, Any]:
    return changed(manifest, NAMESPACE, "metadata", "namespace")


def quota(kube: MemoryKube) -> dict[str, Any]:
    found = kube.get(ref("ResourceQuota", "team", NAMESPACE))
    assert found is not None
    return found["status"]


@pytest.mark.parametrize("refused", REFUSED, ids=lambda it: it.name)
def test_a_pod_that_a_quota_has_no_room_for_is_refused_in_kubernetes_words(
    kube: MemoryKube, refused: Refused
) -> None:
    kube.apply(pod("first", FIRST))
    text = refusal(kube, pod(refused.name, refused.requests, refused.namespace))
    assert text == refused.message


def test_one_pod_more_than_the_quota_is_refused(kube: MemoryKube) -> None:
    for name in "abc":
        kube.apply(pod(name, SMALL))
    end = "exceeded quota: team, requested: pods=1, used: pods=3, limited: pods=3"
    assert refusal(kube, pod("d", SMALL)) == f'pods "d" is forbidden: {end}'
    kube.delete(ref("Pod", "a", NAMESPACE))
    kube.apply(pod("d", SMALL))


def test_what_is_used_is_counted_and_shown(kube: MemoryKube) -> None:
    kube.apply(pod("first", FIRST))
    kube.apply(pod("second", ({"cpu": "500m", "memory": "512Mi"},)))
    assert quota(kube) == {
        "hard": {
            "requests.cpu": "4",
            "requests.memory": "8Gi",
            "requests.nvidia.com/gpu": "2",
            "pods": "3",
        },
        "used": {
            "requests.cpu": "2",
            "requests.memory": "2Gi",
            "requests.nvidia.com/gpu": "0",
            "pods": "2",
        },
    }


def test_a_quota_is_there_once_it_is_counted(kube: MemoryKube) -> None:
    assert kube.readiness(ref("ResourceQuota", "team", NAMESPACE)).ready
    store = Store({})
    uncounted = store.add(objects()[-1])
    assert health(store, uncounted).reason == "quota is not counted yet"


def test_other_namespaces_have_their_own(kube: MemoryKube) -> None:
    kube.apply(make("Pod", "huge", spec=pod("huge", ({"cpu": "20"},))["spec"]))
    assert quota(kube)["used"]["pods"] == "0"


def test_a_container_that_says_nothing_asks_for_the_namespaces_default(kube: MemoryKube) -> None:
    made = kube.apply(pod("quiet", ({}, {"cpu": "1"})))
    requests = [it["resources"]["requests"] for it in made["spec"]["containers"]]
    assert requests == [{"cpu": "100m", "memory": "256Mi"}, {"cpu": "1", "memory": "256Mi"}]


def test_a_limit_is_a_request_where_there_is_none(kube: MemoryKube) -> None:
    limited = pod("limited", ({},))
    limited["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "50m"}}
    (made,) = kube.apply(limited)["spec"]["containers"]
    assert made["resources"]["requests"] == {"cpu": "50m", "memory": "256Mi"}


def test_pods_of_a_deployment_that_have_no_room_are_missing_and_it_says_why(
    kube: MemoryKube,
) -> None:
    kube.apply(in_team(workload("Deployment", "server", replicas=4)))
    answer = kube.readiness(ref("Deployment", "server", NAMESPACE, "apps/v1"))
    assert not answer.ready
    assert answer.reason.startswith('3/4 pods are Running; pods "server-')
    assert answer.reason.endswith("requested: pods=1, used: pods=3, limited: pods=3")
    kube.apply(in_team(workload("Deployment", "server", replicas=3)))
    assert kube.readiness(ref("Deployment", "server", NAMESPACE, "apps/v1")).ready


def test_a_job_goes_on_as_its_pods_end_and_leave_room(kube: MemoryKube) -> None:
    kube.apply(in_team(job(completions=5, parallelism=5)))
    found = ref("Job", "train", NAMESPACE, "batch/v1")
    assert "exceeded quota: team" in kube.readiness(found).reason
    assert kube.wait_for(found).ready


@pytest.mark.parametrize(
    ("kind", "spec", "ending"),
    [
        ("ResourceQuota", {"hard": {"requests.cpu": "-1"}}, "must be greater than or equal to 0"),
        ("ResourceQuota", {"hard": {"requests.cpu": "a"}}, "a unit such as 8, 500m or 64Gi"),
        ("ResourceQuota", {"hard": {"limits.cpu": "1"}}, "counts pods and requests alone"),
        ("ResourceQuota", {"scopes": ["Terminating"]}, "counts all pods of the namespace"),
        ("LimitRange", {"limits": [{"type": "Pod", "max": {"cpu": "1"}}]}, "type Container alone"),
        (
            "LimitRange",
            {
                "limits": [
                    {
                        "type": "Container",
                        "default": {"cpu": "1"},
                        "defaultRequest": {"cpu": "2"},
                    }
                ]
            },
            "is greater than default limit value 1",
        ),
        ("LimitRange", {"limits": [{"type": "Container", "defaultRequest": {"cpu": "x"}}]}, "64Gi"),
    ],
)
def test_what_the_sandbox_does_not_count_is_refused(
    kube: MemoryKube, kind: str, spec: dict[str, Any], ending: str
) -> None:
    assert refusal(kube, make(kind, "other", spec=spec)).endswith(ending)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0", "0"),
        ("1500m", "1500m"),
        ("2000m", "2"),
        ("1000", "1k"),
        ("1536Mi", "1536Mi"),
        ("65536Mi", "64Gi"),
        ("1e3", "1k"),
        ("512", "512"),
        ("0.5", "500m"),
    ],
)
def test_an_amount_is_shown_as_kubernetes_shows_it(text: str, shown: str) -> None:
    assert str(Amount.read(text)) == shown


def test_a_sum_is_written_as_its_first_part_is() -> None:
    assert str(total(map(Amount.read, ["0", "512Mi", "1536Mi"]))) == "2Gi"
    assert str(total(map(Amount.read, ["1M", "1Ki"]))) == "1001024"
