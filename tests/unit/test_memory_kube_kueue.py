"""Kueue's scenario in memory: servers and a fine-tune Job that share six GPUs.

It cannot prove how long anything takes: there is no time in here.
"""

import pytest

from sandbox.memory_kube.kueue.quota import NOT_SIMULATED
from tests.unit.kueue_samples import (
    SERVER_REF,
    changed,
    cluster_queue,
    container,
    fine_tune,
    flavor,
    group,
    job_ref,
    kinds,
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
    assert waiting.reason.endswith(f"{INSUFFICIENT}, {NOT_SIMULATED}")
    queue = queue_of(kube)
    assert (len(queue.admitted), len(queue.waiting)) == (3, 1)
    assert used(queue) == "6"


def test_a_deployment_with_a_gated_pod_is_not_ready_and_says_what_kueue_says() -> None:
    kube = scenario()
    kube.apply(server(4))
    readiness = kube.wait_for(SERVER_REF)
    assert not readiness.ready
    assert readiness.reason.startswith("3/4 pods are Running")
    assert INSUFFICIENT in readiness.reason


def test_beside_one_server_the_fine_tune_job_is_admitted() -> None:
    kube = scenario()
    kube.apply(server(4))
    kube.apply(fine_tune())
    kube.apply(server(1))
    assert kinds(queue_of(kube).admitted) == ["pod", "job"]
    assert phases(kube, "finetune") == ["Running", "Running"]
    assert used(queue_of(kube)) == "6"


def test_a_job_of_three_pods_waits_until_no_server_is_left() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.apply(fine_tune(pods=3))
    assert INSUFFICIENT in queue_of(kube).waiting[0].reason
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


def test_what_is_admitted_and_never_ready_is_shown_with_what_comes_of_it() -> None:
    kube = scenario()
    kube.apply(fine_tune())
    assert [one.reason for one in queue_of(kube).admitted] == [""]
    kube.set_nodes([cpu_node(), *l4_nodes(1)])
    (one,) = queue_of(kube).admitted
    assert one.reason == "admitted, but 1 of 2 pods are not ready: Kueue stops it after 30m"


def test_a_second_server_waits_for_what_the_real_kueue_would_take_from_the_fine_tuning() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.apply(fine_tune())
    kube.apply(server(2))
    assert kinds(queue_of(kube).admitted) == ["pod", "job"]
    (waiting,) = queue_of(kube).waiting
    assert waiting.reason.endswith(f"{INSUFFICIENT}, {NOT_SIMULATED}")
    assert not kube.wait_for(SERVER_REF).ready


def test_what_the_others_of_a_cohort_leave_free_is_borrowed() -> None:
    kube = scenario(cohortName="team", preemption={})
    kube.apply(fine_tune(pods=4))
    assert queue_of(kube).waiting[0].reason.endswith(f"maximum capacity (6), {NOT_SIMULATED}")
    kube.apply(cluster_queue("other", cohortName="team"))
    assert kinds(queue_of(kube).admitted) == ["job"]


def test_a_flavor_that_the_pods_do_not_select_or_tolerate_is_passed_over() -> None:
    kube = with_kueue()
    amounts = [quota("cpu", "8"), quota("memory", "80Gi"), quota("nvidia.com/gpu", "2")]
    for manifest in (
        flavor("other", nodeLabels={"cloud.google.com/gke-accelerator": "nvidia-b200"}),
        flavor("tainted", nodeTaints=[{"key": "k", "value": "v", "effect": "NoSchedule"}]),
        cluster_queue(resourceGroups=[group(amounts, ("other", "tainted"))]),
        local_queue(),
        priority("high", 30),
    ):
        kube.apply(manifest)
    kube.apply(server(1))
    reason = queue_of(kube).waiting[0].reason
    assert "flavor other doesn't match node affinity" in reason
    assert reason.endswith("untolerated taint k=v:NoSchedule in flavor tainted")


def test_a_running_job_is_not_ready_when_it_is_read_though_its_own_wait_is_over() -> None:
    kube = scenario()
    wait = {"pulumi.com/waitFor": "jsonpath={.metadata.uid}"}
    kube.apply(changed(fine_tune(), wait, "metadata", "annotations"))
    assert kube.readiness(job_ref()).ready
    assert not kube.readiness_on_read(job_ref()).ready
    skip = {"pulumi.com/skipAwait": "true"}
    kube.apply(changed(fine_tune(), skip, "metadata", "annotations"))
    assert kube.readiness_on_read(job_ref()).ready
