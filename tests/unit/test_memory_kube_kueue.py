"""Kueue's scenario in memory: servers and a fine-tune Job that share six GPUs.

It cannot prove how long anything takes: there is no time in here.
"""

import pytest

from tests.unit.kueue_samples import (
    NAMESPACE,
    SERVER_REF,
    changed,
    cluster_queue,
    container,
    fine_tune,
    flavor,
    job_ref,
    kinds,
    kueue_ref,
    l4_nodes,
    local_queue,
    make,
    phases,
    pods_of,
    priority,
    queue_of,
    quota,
    scenario,
    server,
    used,
    with_kueue,
)
from tests.unit.memory_kube_samples import cpu_node

INSUFFICIENT = "insufficient unused quota for nvidia.com/gpu in flavor l4, 2 more needed"


def test_one_server_is_admitted_and_runs() -> None:
    kube = scenario()
    kube.apply(server(1))
    assert phases(kube, "tgi") == ["Running"]
    assert kinds(queue_of(kube).admitted) == ["pod"]
    assert used(queue_of(kube)) == "2"
    assert kube.readiness(SERVER_REF).ready


def test_of_four_servers_three_are_admitted_and_the_fourth_is_gated() -> None:
    kube = scenario()
    kube.apply(server(4))
    assert phases(kube, "tgi") == ["Running", "Running", "Running", "Pending"]
    waiting = pods_of(kube, "tgi")[-1]
    assert waiting.reason.startswith("SchedulingGated: couldn't assign flavors to pod set main: ")
    assert waiting.reason.endswith(INSUFFICIENT)
    queue = queue_of(kube)
    assert (len(queue.admitted), len(queue.waiting)) == (3, 1)
    assert used(queue) == "6"


def test_a_deployment_with_a_gated_pod_is_not_ready_and_says_what_kueue_says() -> None:
    kube = scenario()
    kube.apply(server(4))
    readiness = kube.wait_for(SERVER_REF)
    assert not readiness.ready
    assert readiness.reason.startswith("3/4 pods are Running")
    assert readiness.reason.endswith(INSUFFICIENT)


def test_beside_one_server_the_fine_tune_job_is_admitted() -> None:
    kube = scenario()
    kube.apply(server(4))
    kube.apply(fine_tune())
    kube.apply(server(1))
    assert kinds(queue_of(kube).admitted) == ["pod", "job"]
    assert phases(kube, "finetune") == ["Running", "Running"]
    assert used(queue_of(kube)) == "6"


def test_a_second_server_suspends_the_job_and_its_pods_go() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.apply(fine_tune())
    kube.apply(server(2))
    assert phases(kube, "tgi") == ["Running", "Running"]
    assert pods_of(kube, "finetune") == []
    job = kube.get(job_ref())
    assert job is not None
    assert job["spec"]["suspend"] is True
    assert job["status"]["conditions"][0]["type"] == "Suspended"
    queue = queue_of(kube)
    assert (kinds(queue.admitted), kinds(queue.waiting)) == (["pod", "pod"], ["job"])
    assert queue.waiting[0].reason.endswith(INSUFFICIENT)


def test_a_preempted_job_says_so_and_is_admitted_no_more() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.apply(fine_tune())
    kube.apply(server(2))
    name = queue_of(kube).waiting[0].name.partition("/")[2]
    workload = kube.get(kueue_ref("Workload", name, NAMESPACE))
    assert workload is not None
    conditions = {each["type"]: each for each in workload["status"]["conditions"]}
    assert conditions["Preempted"]["reason"] == "InClusterQueue"
    assert conditions["Evicted"]["message"].endswith("prioritization in the ClusterQueue")
    assert conditions["Admitted"]["status"] == "False"


def test_with_one_server_again_the_job_is_admitted_again() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.apply(fine_tune())
    kube.apply(server(2))
    kube.apply(server(1))
    assert kinds(queue_of(kube).admitted) == ["pod", "job"]
    assert phases(kube, "finetune") == ["Running", "Running"]


def test_a_job_of_three_pods_waits_until_no_server_is_left() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.apply(fine_tune(pods=3))
    assert queue_of(kube).waiting[0].reason.endswith("flavor l4, 2 more needed")
    kube.apply(server(0))
    assert phases(kube, "finetune") == ["Running"] * 3


def test_a_job_goes_on_while_other_objects_come_and_go() -> None:
    kube = scenario()
    kube.apply(fine_tune())
    for index in range(3):
        kube.apply(make("ConfigMap", f"c{index}"))
    assert phases(kube, "finetune") == ["Running", "Running"]


def test_a_suspended_job_is_not_ready_as_the_provider_waits_for_its_end() -> None:
    kube = scenario()
    kube.apply(server(3))
    kube.apply(fine_tune())
    assert kube.wait_for(job_ref()).reason == "job is suspended"
    skipping = changed(fine_tune(), {"pulumi.com/skipAwait": "true"}, "metadata", "annotations")
    kube.apply(skipping)
    assert kube.wait_for(job_ref()).ready


def test_an_update_of_a_job_leaves_its_suspension_to_kueue() -> None:
    kube = scenario()
    kube.apply(fine_tune())
    kube.apply(changed(fine_tune(), {"team": "a"}, "metadata", "annotations"))
    job = kube.get(job_ref())
    assert job is not None
    assert job["spec"]["suspend"] is False
    assert phases(kube, "finetune") == ["Running", "Running"]


def test_a_job_that_is_not_suspended_waits_for_its_queue_all_the_same() -> None:
    kube = scenario()
    kube.apply(server(3))
    kube.apply(changed(fine_tune(), False, "spec", "suspend"))
    assert pods_of(kube, "finetune") == []


def test_more_than_the_queue_could_ever_give_is_told_with_both_numbers() -> None:
    kube = scenario()
    kube.apply(fine_tune(pods=4))
    reason = queue_of(kube).waiting[0].reason
    assert reason.endswith("current podset request (8) > maximum capacity (6)")


def test_a_resource_that_the_queue_does_not_cover_is_never_admitted() -> None:
    kube = scenario(quotas=[quota("cpu", "72"), quota("nvidia.com/gpu", "6")])
    kube.apply(server(1))
    reason = queue_of(kube).waiting[0].reason
    assert reason.endswith("pod set main: resource memory unavailable in ClusterQueue")


def test_a_lowered_quota_leaves_what_runs_and_admits_nothing_new() -> None:
    kube = scenario()
    kube.apply(server(3))
    lower = [quota("cpu", "72"), quota("memory", "288Gi"), quota("nvidia.com/gpu", "4")]
    kube.apply(cluster_queue(quotas=lower))
    assert phases(kube, "tgi") == ["Running"] * 3
    kube.apply(server(4))
    assert len(queue_of(kube).waiting) == 1
    kube.apply(server(2))
    assert len(queue_of(kube).admitted) == 2


def test_the_labels_of_the_flavor_choose_the_nodes() -> None:
    kube = scenario()
    kube.apply(flavor(nodeLabels={"kubernetes.io/hostname": "none"}))
    kube.apply(server(1))
    (pod,) = pods_of(kube, "tgi")
    assert pod.reason.endswith("node(s) didn't match Pod's node affinity/selector.")
    kube.apply(fine_tune())
    assert [each.phase for each in pods_of(kube, "finetune")] == ["Pending", "Pending"]


def test_pods_without_a_label_or_in_kueues_own_namespace_are_left_alone() -> None:
    kube = scenario(quotas=[quota("nvidia.com/gpu", "0")])
    kube.apply(make("Pod", "plain", spec={"containers": [container()]}))
    labels = {"kueue.x-k8s.io/queue-name": "lq"}
    own = changed(
        make("Pod", "own", spec={"containers": [container()]}), labels, "metadata", "labels"
    )
    kube.apply(changed(own, "kueue-system", "metadata", "namespace"))
    assert phases(kube, "plain") == phases(kube, "own") == ["Running"]


def test_the_sidecar_of_a_pod_counts_in_its_queue() -> None:
    kube = scenario(
        quotas=[
            quota("cpu", "4"),
            quota("memory", "40Gi"),
            quota("nvidia.com/gpu", "2"),
            quota("ephemeral-storage", "9Gi"),
        ]
    )
    mounting = changed(
        server(1), {"gke-gcsfuse/volumes": "true"}, "spec", "template", "metadata", "annotations"
    )
    kube.apply(mounting)
    assert "insufficient quota for cpu in flavor l4" in queue_of(kube).waiting[0].reason


@pytest.mark.parametrize(
    ("queue", "reason"),
    [("nobody", "LocalQueue nobody doesn't exist"), ("lost", "ClusterQueue gone doesn't exist")],
)
def test_a_job_whose_queue_is_missing_waits_for_it(queue: str, reason: str) -> None:
    kube = scenario()
    kube.apply(local_queue("lost", "gone"))
    kube.apply(server(1, queue=queue))
    assert pods_of(kube, "tgi")[0].reason == f"SchedulingGated: {reason}"
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
    assert queue_of(kube).inactive == text
    assert queue_of(kube).waiting[0].reason == "ClusterQueue cluster-queue is inactive"
    kube.apply(flavor())
    assert queue_of(kube).inactive == ""
    assert phases(kube, "tgi") == ["Running"]


def test_a_queue_that_selects_other_namespaces_admits_nothing_here() -> None:
    kube = scenario(namespaceSelector={"matchLabels": {"team": "other"}})
    kube.apply(server(1))
    assert queue_of(kube).waiting[0].reason.endswith("doesn't match ClusterQueue selector")


def test_a_workload_priority_class_ranks_a_job_above_its_pods_class() -> None:
    kube = scenario()
    kube.apply(server(2))
    kube.apply(make("WorkloadPriorityClass", "urgent", "kueue.x-k8s.io/v1beta2", value=1000))
    labels = {"kueue.x-k8s.io/queue-name": "lq", "kueue.x-k8s.io/priority-class": "urgent"}
    kube.apply(changed(fine_tune(), labels, "metadata", "labels"))
    assert sorted(kinds(queue_of(kube).admitted)) == ["job", "pod"]
    assert phases(kube, "finetune") == ["Running", "Running"]


def test_what_is_admitted_and_never_ready_is_shown_with_what_comes_of_it() -> None:
    kube = scenario()
    kube.apply(fine_tune())
    assert [one.reason for one in queue_of(kube).admitted] == [""]
    kube.set_nodes([cpu_node(), *l4_nodes(1)])
    (one,) = queue_of(kube).admitted
    assert one.reason == "admitted, but 1 of 2 pods are not ready: Kueue stops it after 30m"
