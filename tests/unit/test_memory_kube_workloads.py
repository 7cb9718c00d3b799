"""Deployments, DaemonSets, Jobs, Services and the waits, without containers or time."""

import pytest

from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    LABELS,
    asking,
    changed,
    cpu_node,
    gpu_nodes,
    job,
    make,
    only_pod,
    pod,
    ref,
    workload,
)


@pytest.fixture
def kube() -> MemoryKube:
    return MemoryKube({}, [cpu_node()])


def test_a_deployment_is_ready_with_all_its_pods_and_rolls_with_its_template(
    kube: MemoryKube,
) -> None:
    deployment = workload("Deployment", "tgi", replicas=2)
    kube.apply(deployment)
    target = ref("Deployment", "tgi", api_version="apps/v1")
    assert kube.readiness(target).reason == "2/2 pods are Running"
    before = {each.name for each in kube.pods()}
    path = ("spec", "template", "spec", "containers", 0, "resources")
    kube.apply(changed(deployment, asking(cpu="3"), *path))
    assert not before & {each.name for each in kube.pods()}
    assert not kube.readiness(target).ready
    assert kube.readiness(target).reason.endswith("0/1 nodes are available: 1 Insufficient cpu.")
    kube.delete(target)
    assert kube.pods() == []


def test_a_daemon_set_runs_where_it_may(kube: MemoryKube) -> None:
    kube.set_nodes([cpu_node(), cpu_node("default-1"), *gpu_nodes(2)])
    kube.apply(workload("DaemonSet", "agent"))
    assert sorted(each.node for each in kube.pods()) == ["default-0", "default-1"]
    assert kube.readiness(ref("DaemonSet", "agent", api_version="apps/v1")).ready
    kube.set_nodes([cpu_node()])
    assert len(kube.pods()) == 1


def test_a_job_runs_and_completes_in_later_reconciles(kube: MemoryKube) -> None:
    kube.apply(job(completions=3, parallelism=2))
    target = ref("Job", "train", api_version="batch/v1")
    assert kube.readiness(target).reason == "job has 2 active and 0 succeeded"
    kube.reconcile()
    assert kube.readiness(target).reason == "job has 1 active and 2 succeeded"
    kube.reconcile()
    assert kube.readiness(target).reason == "job is Complete"
    assert {each.phase for each in kube.pods()} == {"Succeeded"}


def test_a_suspended_job_has_no_pods_until_it_resumes(kube: MemoryKube) -> None:
    target = ref("Job", "train", api_version="batch/v1")
    kube.apply(job(suspend=True))
    assert kube.pods() == []
    assert kube.readiness(target).reason == "job is suspended"
    kube.apply(job(suspend=False))
    assert only_pod(kube).phase == "Running"


def test_a_service_waits_for_the_pods_it_selects(kube: MemoryKube) -> None:
    service = make("Service", "tgi", spec={"selector": LABELS, "ports": [{"port": 80}]})
    live = kube.apply(service)
    assert live["spec"]["clusterIP"].startswith("34.118.")
    assert kube.readiness(ref("Service", "tgi")).ready
    kube.apply(workload("Deployment", "tgi", replicas=1))
    assert kube.readiness(ref("Service", "tgi")).reason == "1 endpoints"
    kube.set_nodes([])
    assert kube.readiness(ref("Service", "tgi")).reason.endswith(
        "no nodes available to schedule pods"
    )
    again = kube.apply(service)
    assert again["spec"]["clusterIP"] == live["spec"]["clusterIP"]


def test_skip_await_and_conditions_are_obeyed(kube: MemoryKube) -> None:
    kube.set_nodes([])
    skipping = changed(pod(), {"pulumi.com/skipAwait": "true"}, "metadata", "annotations")
    kube.apply(skipping)
    assert kube.readiness(ref("Pod", "p")).ready
    wait = '["condition=PodScheduled=False", "jsonpath={.status.conditions[0].type}"]'
    kube.apply(changed(pod("q"), {"pulumi.com/waitFor": wait}, "metadata", "annotations"))
    assert kube.readiness(ref("Pod", "q")).ready
    path = "jsonpath={.status.conditions[?(@.type=='Ready')].status}=True"
    kube.apply(changed(pod("r"), {"pulumi.com/waitFor": path}, "metadata", "annotations"))
    assert not kube.readiness(ref("Pod", "r")).ready
    kube.set_nodes([cpu_node()])
    assert kube.readiness(ref("Pod", "r")).ready
