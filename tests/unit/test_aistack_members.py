"""Which rank a pod has in its job, and which of its containers does the work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import pytest

from aistack.cluster import Cluster
from aistack.find import Found
from aistack.members import Member, members_of
from kube.kinds import JOB, JOB_SET
from kube.objects import JsonObject
from tests.kube.planted_causes import job

INDEX = "batch.kubernetes.io/job-completion-index"


@dataclass
class Pods:
    """All that a cluster has."""

    pods: Sequence[JsonObject]

    def pages(self, *_: object, **__: object) -> Iterator[JsonObject]:
        return iter(self.pods)


def pod(name: str, index: str = "", made: str = "1", *containers: str) -> JsonObject:
    labels = {INDEX: index} if index else {}
    metadata = {"name": name, "namespace": "default", "labels": labels, "creationTimestamp": made}
    return {"metadata": metadata, "spec": {"containers": [{"name": it} for it in containers]}}


def roles(parallelism: int, *pods: JsonObject) -> list[tuple[str, str]]:
    found = job("train")
    found["metadata"] |= {"uid": "1", "creationTimestamp": "2026-11-23T12:00:00Z"}
    found["spec"]["parallelism"] = parallelism
    members = members_of(cast(Cluster, Pods(pods)), Found(JOB, found))
    return [(it.name, it.role) for it in members.pods]


def test_a_pod_that_is_made_again_has_the_rank_of_the_one_before_it() -> None:
    pods = (pod("c", "1", "2"), pod("b", "0", "1"), pod("a", "1", "1"), pod("d", "10"))
    assert roles(11, *pods) == [("b", "0"), ("a", "1"), ("c", "1"), ("d", "10")]


def test_ranks_of_a_job_set_go_on_from_job_to_job() -> None:
    spec = {**job("train")["spec"], "parallelism": 2}
    jobs = [{"name": "workers", "replicas": 2, "template": {"spec": spec}}]
    found: JsonObject = {"spec": {"replicatedJobs": jobs}}
    found["metadata"] = job("train")["metadata"] | {
        "uid": "1",
        "creationTimestamp": "2026-11-23T12:00:00Z",
    }
    pods = [pod("b", "1"), pod("a", "0")]
    for it, number in zip(pods, ("1", "0"), strict=True):
        it["metadata"]["labels"]["jobset.sigs.k8s.io/job-global-index"] = number
    members = members_of(cast(Cluster, Pods(pods)), Found(JOB_SET, found))
    assert [(it.name, it.role) for it in members.pods] == [("a", "0"), ("b", "3")]


def test_of_a_job_with_one_pod_each_attempt_is_rank_0() -> None:
    assert roles(1, pod("z", made="1"), pod("a", made="2")) == [("z", "0"), ("a", "0")]


def test_pods_without_an_index_are_ranked_by_name() -> None:
    assert roles(2, pod("b"), pod("a")) == [("a", "0"), ("b", "1")]


@pytest.mark.parametrize(
    ("containers", "does"),
    [
        (["main", "helper"], "main"),
        (["gke-gcsfuse-sidecar", "main"], "main"),
        (["gke-gcsfuse-sidecar"], "gke-gcsfuse-sidecar"),
    ],
)
def test_googles_own_container_does_not_do_the_work(containers: list[str], does: str) -> None:
    assert Member(pod("a", "", "1", *containers), "0").container == does


def test_a_pod_says_which_container_does_the_work() -> None:
    said = pod("a", "", "1", "proxy", "main")
    said["metadata"]["annotations"] = {"kubectl.kubernetes.io/default-container": "main"}
    assert Member(said, "0").container == "main"
