"""Pods such as GKE's installers and multi-node jobs: what they may do, and what they wait for."""

from typing import Any

import pytest

from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    changed,
    container,
    cpu_node,
    gpu_nodes,
    job,
    make,
    only_pod,
    pod,
    ref,
    refusal,
    workload,
)

JOB = ref("Job", "train", api_version="batch/v1")


def installer(*accelerators: str) -> dict[str, Any]:
    """A DaemonSet that prepares GPU nodes, as GKE's own driver installers are written."""
    expression = {
        "key": "cloud.google.com/gke-accelerator",
        "operator": "In",
        "values": list(accelerators),
    }
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    spec = {
        "priorityClassName": "system-node-critical",
        "hostNetwork": True,
        "hostPID": True,
        "tolerations": [{"operator": "Exists"}],
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}},
        "volumes": [{"name": "host", "hostPath": {"path": "/home/kubernetes/bin", "type": ""}}],
        "initContainers": [
            container(
                "install",
                securityContext={"privileged": True},
                volumeMounts=[{"name": "host", "mountPath": "/usr/local"}],
            )
        ],
        "containers": [container("pause")],
    }
    manifest = changed(workload("DaemonSet", "installer"), spec, "spec", "template", "spec")
    return changed(manifest, "kube-system", "metadata", "namespace")


def test_an_installer_runs_on_the_tainted_nodes_it_selects() -> None:
    kube = MemoryKube({}, [*gpu_nodes(2), cpu_node()])
    kube.apply(installer("nvidia-b200", "nvidia-h200"))
    target = ref("DaemonSet", "installer", "kube-system", "apps/v1")
    assert sorted(each.node for each in kube.pods()) == ["a4-0", "a4-1"]
    assert kube.readiness(target).reason == "2/2 pods are Running"
    kube.set_nodes([])
    assert kube.readiness(target).ready


def test_an_installer_for_other_machines_runs_nowhere() -> None:
    kube = MemoryKube({}, gpu_nodes(2))
    kube.apply(installer("nvidia-h200"))
    assert kube.pods() == []


def test_critical_pods_are_for_kube_system() -> None:
    kube = MemoryKube({}, [cpu_node()])
    critical = pod(spec={"priorityClassName": "system-node-critical"})
    kube.apply(critical)
    assert only_pod(kube).reason == (
        "insufficient quota to match these scopes: "
        "[{PriorityClass In [system-node-critical system-cluster-critical]}]"
    )
    kube.delete(ref("Pod", "p"))
    kube.apply(changed(critical, "kube-system", "metadata", "namespace"))
    assert only_pod(kube).phase == "Running"


@pytest.mark.parametrize("kind", ["Pod", "Job"])
def test_a_pod_waits_for_its_service_account(kind: str) -> None:
    kube = MemoryKube({}, [cpu_node()])
    path = ("spec", "serviceAccountName")
    manifest = changed(
        pod() if kind == "Pod" else job(),
        "trainer",
        *(path if kind == "Pod" else ("spec", "template", *path)),
    )
    kube.apply(manifest)
    assert only_pod(kube).reason == (
        'error looking up service account default/trainer: serviceaccount "trainer" not found'
    )
    kube.apply(make("ServiceAccount", "trainer"))
    assert only_pod(kube).phase == "Running"


def test_an_indexed_job_runs_all_its_pods_at_once_and_completes() -> None:
    kube = MemoryKube({}, [cpu_node()])
    service = {"clusterIP": "None", "selector": {"job-name": "train"}}
    kube.apply(make("Service", "train", spec=service))
    manifest = job(
        completions=2,
        parallelism=2,
        completionMode="Indexed",
        backoffLimit=0,
        ttlSecondsAfterFinished=86400,
    )
    kube.apply(changed(manifest, "train", "spec", "template", "spec", "subdomain"))
    assert [each.phase for each in kube.pods()] == ["Running", "Running"]
    assert kube.readiness(ref("Service", "train")).ready
    assert not kube.readiness(JOB).ready
    assert kube.wait_for(JOB).reason == "job is Complete"


def test_an_indexed_job_says_how_many_pods_complete_it() -> None:
    text = refusal(MemoryKube({}, []), job(parallelism=2, completionMode="Indexed"))
    assert text.endswith("spec.completions: required value when completion mode is Indexed")


def test_waiting_for_a_job_that_cannot_run_ends() -> None:
    kube = MemoryKube({}, [])
    kube.apply(job())
    answer = kube.wait_for(JOB)
    assert not answer.ready
    assert answer.reason.endswith("no nodes available to schedule pods")


def test_waiting_lets_earlier_jobs_make_room() -> None:
    kube = MemoryKube({}, [cpu_node(pods="1")])
    kube.apply(job(completions=3, parallelism=1))
    kube.apply(pod())
    assert kube.wait_for(ref("Pod", "p")).ready
