"""Queued work in memory: admitted at once, on the nodes of its queue's flavors.

It cannot prove quota, order, borrowing or preemption: those are the real Kueue's, in tests/kube.
"""

from typing import Any

import pytest

from components.queues.provisioning_manifest import QUEUED_TOLERATION
from kube.errors import KubeError
from tests.unit.kueue_samples import (
    KUEUE,
    L4,
    PRIORITY,
    QUEUE,
    SCENARIO_QUOTAS,
    SERVER_REF,
    changed,
    cluster_queue,
    container,
    fine_tune,
    flavor,
    group,
    job_ref,
    kueue_ref,
    l4_nodes,
    local_queue,
    make,
    phases,
    pods_of,
    priority,
    quota,
    ray_cluster,
    ray_ref,
    scenario,
    server,
    with_kueue,
)
from tests.unit.memory_kube_samples import TOLERATION, cpu_node
from tests.unit.provisioning_samples import TAINT, queued_nodes

SELECTOR = ("spec", "template", "spec", "nodeSelector")
ELASTIC = "kueue.x-k8s.io/elastic-job"
NO_QUOTA = [quota("nvidia.com/gpu", "0")]


def test_queued_work_starts_whatever_its_quota() -> None:
    kube = scenario(quotas=NO_QUOTA)
    kube.apply(server(1))
    kube.apply(fine_tune())
    assert phases(kube, "tgi") == ["Running"]
    assert phases(kube, "finetune") == ["Running", "Running"]
    assert kube.readiness(SERVER_REF).ready
    assert kube.queues() == []


def test_what_has_no_node_waits_for_one_and_not_for_its_queue() -> None:
    kube = scenario()
    kube.apply(server(4))
    assert phases(kube, "tgi") == ["Running", "Running", "Running", "Pending"]
    assert "Insufficient nvidia.com/gpu" in pods_of(kube, "tgi")[-1].reason
    assert "3/4 pods are Running" in kube.wait_for(SERVER_REF).reason


def test_a_manifest_that_is_suspended_for_its_queue_runs_and_goes_on_after_an_update() -> None:
    kube = scenario()
    kube.apply(fine_tune())
    kube.apply(changed(fine_tune(), {"team": "a"}, "metadata", "annotations"))
    job = kube.get(job_ref())
    assert job is not None
    assert job["spec"]["suspend"] is False
    for index in range(3):
        kube.apply(make("ConfigMap", f"c{index}"))
    assert phases(kube, "finetune") == ["Running", "Running"]


def test_without_a_queue_a_suspended_job_stays_suspended() -> None:
    kube = scenario()
    kube.apply(changed(fine_tune(), {}, "metadata", "labels"))
    assert pods_of(kube, "finetune") == []
    assert kube.wait_for(job_ref()).reason == "job is suspended"


@pytest.mark.parametrize("elastic", [False, True])
def test_a_ray_cluster_starts_without_kueues_gates(*, elastic: bool) -> None:
    kube = scenario()
    cluster = ray_cluster()
    if elastic:
        cluster = changed(cluster, {ELASTIC: "true"}, "metadata", "annotations")
        (workers,) = cluster["spec"]["workerGroupSpecs"]
        for template in (workers["template"], cluster["spec"]["headGroupSpec"]["template"]):
            template["spec"]["schedulingGates"] = [{"name": ELASTIC}]
    kube.apply(cluster)
    assert phases(kube, "ray") == ["Running"] * 3
    assert kube.wait_for(ray_ref()).ready


def test_a_ray_job_runs_to_its_end() -> None:
    kube = scenario()
    spec = {
        "entrypoint": "python train.py",
        "rayClusterSpec": ray_cluster()["spec"],
        "shutdownAfterJobFinishes": True,
    }
    manifest = make("RayJob", "train", "ray.io/v1", spec=spec)
    manifest["metadata"] |= {"namespace": "llm", "labels": {QUEUE: "lq"}}
    kube.apply(manifest)
    for _ in range(4):
        kube.reconcile()
    found = kube.get(ray_ref("RayJob", "train"))
    assert found is not None
    assert found["status"]["jobDeploymentStatus"] == "Complete"


def test_the_first_flavor_of_the_queue_with_room_has_the_pods() -> None:
    first, second = ({"cloud.google.com/gke-nodepool": name} for name in ("one", "two"))
    kube = with_kueue(*l4_nodes(1, **first), *l4_nodes(3, **second)[1:])
    for manifest in (
        flavor("one", nodeLabels=first),
        flavor("two", nodeLabels=second),
        cluster_queue(resourceGroups=[group(SCENARIO_QUOTAS, ("one", "two"))]),
        local_queue(),
        priority("high", 30),
    ):
        kube.apply(manifest)
    kube.apply(server(2))
    assert {pod.node for pod in pods_of(kube, "tgi")} == {"l4-0", "l4-1"}
    kube.apply(server(3))
    assert [pod.node for pod in pods_of(kube, "tgi")][-1] == "l4-2"


def test_machines_that_kueue_requests_are_there_at_once_for_its_work_alone() -> None:
    kube = scenario(*queued_nodes())
    work = changed(server(1, tolerations=[TOLERATION]), ..., *SELECTOR)
    kube.apply(work)
    assert kube.nodes() == [cpu_node()]
    spec = {"controllerName": "kueue.x-k8s.io/provisioning-request"}
    kube.apply(make("AdmissionCheck", "dws", KUEUE, spec=spec))
    assert [it.pool for it in kube.nodes() if TAINT in it.taints] == ["a4", "a4"]
    assert "untolerated taint {cloud.google.com/gke-queued: true}" in pods_of(kube, "tgi")[0].reason
    kube.apply(flavor(tolerations=[QUEUED_TOLERATION]))
    (pod,) = pods_of(kube, "tgi")
    assert pod.node.startswith("a4")


def test_pods_that_select_nodes_of_no_flavor_wait() -> None:
    kube = scenario()
    kube.apply(flavor(nodeLabels={"cloud.google.com/gke-accelerator": "nvidia-b200"}))
    kube.apply(server(1))
    (pod,) = pods_of(kube, "tgi")
    assert pod.reason.endswith("couldn't assign flavors: none of cluster-queue match node affinity")


def test_pods_in_kueues_own_namespace_are_left_alone() -> None:
    kube = scenario()
    own = make("Pod", "own", spec={"containers": [container()]})
    own["metadata"] |= {"labels": {QUEUE: "nobody"}, "namespace": "kueue-system"}
    kube.apply(own)
    assert phases(kube, "own") == ["Running"]


@pytest.mark.parametrize(
    ("queue", "reason"),
    [("nobody", "LocalQueue nobody doesn't exist"), ("lost", "ClusterQueue gone doesn't exist")],
)
def test_work_whose_queue_is_missing_waits_for_it(queue: str, reason: str) -> None:
    kube = scenario()
    kube.apply(local_queue("lost", "gone"))
    kube.apply(server(1, queue=queue))
    kube.apply(fine_tune(queue=queue))
    whys = {pod.reason for pod in (*pods_of(kube, "tgi"), *pods_of(kube, "finetune"))}
    assert whys == {f"SchedulingGated: {reason}"}
    kube.apply(local_queue("nobody"))
    kube.apply(cluster_queue("gone"))
    assert phases(kube, "tgi") == ["Running"]


def test_a_queue_with_a_missing_flavor_is_inactive_until_it_comes() -> None:
    kube = with_kueue()
    kube.apply(priority("high", 30))
    kube.apply(cluster_queue())
    kube.apply(local_queue())
    kube.apply(server(1))
    text = "Can't admit new workloads: references missing ResourceFlavor(s): l4."
    queue = kueue_ref("ClusterQueue", "cluster-queue")
    assert kube.health(queue).reason == text
    assert pods_of(kube, "tgi")[0].reason.endswith("ClusterQueue cluster-queue is inactive")
    kube.apply(flavor(nodeLabels=L4))
    assert kube.health(queue).ready
    assert kube.health(kueue_ref("LocalQueue", "lq", "llm")).ready
    assert phases(kube, "tgi") == ["Running"]


def test_a_queue_that_selects_other_namespaces_admits_nothing_here() -> None:
    kube = scenario(namespaceSelector={"matchLabels": {"team": "other"}})
    kube.apply(server(1))
    assert pods_of(kube, "tgi")[0].reason.endswith("doesn't match ClusterQueue selector")


def test_work_with_a_priority_class_that_is_missing_waits_for_it() -> None:
    kube = scenario()
    kube.apply(changed(fine_tune(), {QUEUE: "lq", PRIORITY: "urgent"}, "metadata", "labels"))
    assert pods_of(kube, "finetune")[0].reason.endswith("priority class is not found")
    kube.apply(make("WorkloadPriorityClass", "urgent", KUEUE, value=1))
    assert phases(kube, "finetune") == ["Running", "Running"]


def test_a_running_job_is_not_ready_when_it_is_read_though_its_own_wait_is_over() -> None:
    kube = scenario()
    wait = {"pulumi.com/waitFor": "jsonpath={.metadata.uid}"}
    kube.apply(changed(fine_tune(), wait, "metadata", "annotations"))
    assert kube.readiness(job_ref()).ready
    assert not kube.readiness_on_read(job_ref()).ready
    skip = {"pulumi.com/skipAwait": "true"}
    kube.apply(changed(fine_tune(), skip, "metadata", "annotations"))
    assert kube.readiness_on_read(job_ref()).ready


@pytest.mark.parametrize(
    ("work", "named"), [(server(1), "Pod llm/tgi"), (fine_tune(), "Job llm/finetune")]
)
def test_a_queue_with_work_stays_without_its_local_queue(work: dict[str, Any], named: str) -> None:
    kube = scenario()
    kube.apply(work)
    kube.delete(kueue_ref("LocalQueue", "lq", "llm"))
    queue = kueue_ref("ClusterQueue", "cluster-queue")
    with pytest.raises(KubeError, match=rf"resource-in-use\): used by {named}"):
        kube.delete(queue)
    kube.apply(server(0))
    if work["kind"] == "Job":
        kube.delete(job_ref())
    kube.delete(queue)
