"""JobSets in memory: their Jobs, pods and queues, and what is refused.

It cannot prove that JobSet's own controller does the same; that runs in the tests of the real
control plane.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.jobs.job_set_manifest import job_set_spec
from kube.errors import KubeError
from kube.objects import JsonObject, Ref
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.job_set_samples import PODS, RELEASE, release
from tests.unit.kueue_samples import (
    L4,
    NAMESPACE,
    QUEUE,
    cluster_queue,
    configuration,
    flavor,
    in_llm,
    l4_nodes,
    local_queue,
    namespace,
    phases,
    pods_of,
    refused,
)
from tests.unit.kueue_samples import release as kueue_release
from tests.unit.memory_kube_samples import changed, cpu_node, make, refusal

API = "jobset.x-k8s.io/v1alpha2"
REF = Ref(api_version=API, kind="JobSet", namespace=NAMESPACE, name="train")
RULE = ("spec", "failurePolicy", "rules", 0)
TEMPLATE = ("spec", "replicatedJobs", 0, "template", "spec", "template")


def job_set(**values: Any) -> JsonObject:
    """That of the component: two pods, each with both GPUs of a node."""
    pods = replace(PODS, gpus=2, node_selector=L4, **values)
    return in_llm(make("JobSet", "train", API, spec=job_set_spec(pods)))


def queued(queue: str = "lq", **values: Any) -> JsonObject:
    return changed(job_set(queued=True, **values), {QUEUE: queue}, "metadata", "labels")


def with_job_set(frameworks: list[str] | None = None) -> MemoryKube:
    """A cluster with JobSet, and with Kueue and a queue where there are frameworks."""
    kube = MemoryKube({}, [cpu_node(), *l4_nodes()])
    for manifest in (namespace("jobset-system"), namespace(NAMESPACE), release()):
        kube.apply(manifest)
    if frameworks is not None:
        config = configuration(integrations={"frameworks": frameworks})
        for manifest in (
            namespace("kueue-system"),
            kueue_release(config=config),
            flavor(nodeLabels=L4),
            cluster_queue(),
            local_queue(),
        ):
            kube.apply(manifest)
    return kube


def live(kube: MemoryKube, ref: Ref = REF) -> JsonObject:
    found = kube.get(ref)
    assert found is not None
    return found


def child(kind: str, name: str, api_version: str) -> Ref:
    return Ref(api_version=api_version, kind=kind, namespace=NAMESPACE, name=name)


JOB = child("Job", "train-node-0", "batch/v1")


def test_a_cluster_without_the_chart_does_not_know_the_kind() -> None:
    kube = MemoryKube({}, [cpu_node()])
    kube.apply(namespace(NAMESPACE))
    assert refusal(kube, job_set()).endswith("the Helm chart jobset brings it")


def test_the_chart_leaves_the_kind_and_its_objects_behind() -> None:
    kube = with_job_set()
    kube.apply(job_set())
    kube.delete(RELEASE)
    assert kube.get(REF) is not None
    assert "JobSet's controller does not run" in kube.health(REF).reason


def test_its_pods_are_placed_and_know_their_number() -> None:
    kube = with_job_set()
    kube.apply(job_set())
    pods = pods_of(kube, "train-node-0")
    assert [pod.name.rsplit("-", 1)[0] for pod in pods] == ["train-node-0-0", "train-node-0-1"]
    assert len({pod.node for pod in pods}) == 2
    assert all(pod.node.startswith("l4") for pod in pods)


def test_it_is_completed_once_all_its_jobs_are() -> None:
    kube = with_job_set()
    kube.apply(job_set())
    assert kube.health(REF).reason == "2/2 pods are Running"
    kube.reconcile()
    kube.reconcile()
    assert live(kube)["status"]["terminalState"] == "Completed"
    assert kube.health(REF).ready


def test_what_finds_no_node_waits_and_says_why() -> None:
    kube = with_job_set()
    kube.apply(changed(job_set(), {"pool": "none"}, *TEMPLATE, "spec", "nodeSelector"))
    assert phases(kube, "train-node-0") == ["Pending", "Pending"]
    assert "didn't match Pod's node affinity" in kube.health(REF).reason


def test_all_of_it_goes_with_it() -> None:
    kube = with_job_set()
    kube.apply(job_set())
    kube.delete(REF)
    assert pods_of(kube, "train") == []
    assert kube.get(JOB) is None
    assert kube.get(child("Service", "train", "v1")) is None


def test_nobody_waits_for_its_run() -> None:
    kube = with_job_set()
    kube.apply(changed(job_set(), {"pool": "none"}, *TEMPLATE, "spec", "nodeSelector"))
    assert kube.readiness(REF).ready


def test_in_a_queue_it_starts_at_once_on_its_flavors_nodes() -> None:
    kube = with_job_set(["jobset.x-k8s.io/jobset", "batch/job", "pod"])
    kube.apply(queued())
    kube.reconcile()
    assert live(kube)["spec"]["suspend"] is False
    assert {pod.node[:2] for pod in pods_of(kube, "train")} == {"l4"}
    assert phases(kube, "train") == ["Running", "Running"]


def test_kueue_leaves_it_alone_without_its_framework() -> None:
    kube = with_job_set(["batch/job"])
    kube.apply(queued())
    assert live(kube)["spec"]["suspend"] is True
    assert pods_of(kube, "train") == []
    assert kube.health(REF).reason == "job set is suspended"


@pytest.mark.parametrize("path", ["image", "nodes"])
def test_what_runs_cannot_change(path: str) -> None:
    kube = with_job_set()
    kube.apply(job_set())
    other: dict[str, Any] = {"image": "other:1"} if path == "image" else {"nodes": 1}
    assert "field is immutable" in refusal(kube, job_set(**other))


def test_what_waits_may_go_to_other_nodes() -> None:
    kube = with_job_set()
    kube.apply(queued())
    kube.apply(changed(queued(), {"pool": "b"}, *TEMPLATE, "spec", "nodeSelector"))
    (one,) = live(kube)["spec"]["replicatedJobs"]
    assert one["template"]["spec"]["template"]["spec"]["nodeSelector"] == {"pool": "b"}
    assert "field is immutable" in refusal(kube, queued(image="other:1"))


def test_no_jobset_can_be_made_while_its_webhook_is_not_up() -> None:
    kube = MemoryKube({}, [])
    for manifest in (namespace("jobset-system"), namespace(NAMESPACE), release()):
        kube.apply(manifest)
    assert "failed calling webhook" in refusal(kube, job_set())


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ((49 * "a", "metadata", "name"), "metadata.name: .* has 64 characters of 63"),
        (("1a", "metadata", "name"), "start with a letter"),
        ((["x"], "spec", "volumeClaimPolicies"), "is not simulated; nearest: a claim"),
        (({"maxRestart": 1}, "spec", "failurePolicy"), "nearest known one is maxRestarts"),
        (("OnFailure", *TEMPLATE, "spec", "restartPolicy"), "must be Never with podFailurePolicy"),
        (("Always", *TEMPLATE, "spec", "restartPolicy"), "must be Never or OnFailure"),
        ((..., *TEMPLATE[:-1], "completions"), "completions: required value"),
        (("2", *TEMPLATE[:-1], "parallelism"), r"template\.spec\.parallelism: must be integer"),
        (({"x": 1}, *TEMPLATE, "spec", "affinity"), r"affinity\.x: unknown field"),
        (
            (["Lost"], *RULE, "onJobFailureReasons"),
            r"rules\[0\]\.onJobFailureReasons: must be some of BackoffLimitExceeded, ",
        ),
    ],
)
def test_what_jobset_or_the_api_server_would_not_take_is_refused(
    change: tuple[Any, ...], why: str
) -> None:
    manifest = changed(job_set(nodes=10), *change)
    with pytest.raises(KubeError, match=why):
        MemoryKube.validate(with_job_set(), manifest)


def test_the_chart_takes_only_values_that_it_has() -> None:
    assert "values.controler" in refused(release(controler={}))
    assert "nearest: nodeSelector" in refused(release(controller={"nodeSelctor": {}}))
