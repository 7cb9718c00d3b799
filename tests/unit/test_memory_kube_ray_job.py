"""RayJob: waiting for a cluster, submitting, finishing, and what KubeRay does not run.

The entrypoint itself never runs here.
"""

from typing import Any

import pytest

from kube.errors import KubeError
from sandbox.kube.immutability import replaced_by
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    CLUSTER,
    cpu_node,
    gpu_nodes,
    ray_cluster,
    ray_job,
    ray_ref,
    scenario,
)


def status_of(kube: MemoryKube, kind: str = "RayCluster", name: str = CLUSTER) -> dict[str, Any]:
    found = kube.get(ray_ref(kind, name))
    assert found is not None
    return found["status"]


def refused(manifest: dict[str, Any]) -> str:
    with pytest.raises(KubeError) as caught:
        MemoryKube({}, gpu_nodes()).validate(manifest)
    return caught.value.message


def test_a_ray_job_submits_once_its_cluster_is_ready_and_then_completes() -> None:
    kube = scenario()
    kube.apply(ray_job())
    status = status_of(kube, "RayJob", "grpo")
    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Running", "RUNNING")
    submitter = next(pod for pod in kube.pods() if pod.owner == "Job/grpo")
    assert (submitter.node, submitter.phase) == ("default-0", "Running")
    kube.reconcile()
    status = status_of(kube, "RayJob", "grpo")
    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Complete", "SUCCEEDED")
    assert status_of(kube)["state"] == "ready"


def test_a_ray_job_waits_for_its_cluster_and_says_for_what() -> None:
    kube = scenario(worker={"gpu": "9"})
    kube.apply(ray_job())
    status = status_of(kube, "RayJob", "grpo")
    assert status["jobDeploymentStatus"] == "Initializing"
    assert kube.health(ray_ref("RayJob", "grpo")).reason.startswith(
        f"job is Initializing; RayCluster {CLUSTER}: 1/9 pods are Running"
    )
    lost = ray_job("lost", clusterSelector={"ray.io/cluster": "elsewhere"})
    kube.apply(lost)
    answer = kube.health(ray_ref("RayJob", "lost"))
    assert answer.reason == 'job is Initializing; RayCluster "elsewhere" not found'


def test_a_submitter_pod_needs_a_node_too() -> None:
    kube = scenario()
    kube.set_nodes(gpu_nodes())
    kube.apply(ray_job())
    answer = kube.health(ray_ref("RayJob", "grpo"))
    assert not answer.ready
    assert answer.reason.endswith("8 node(s) had untolerated taint {nvidia.com/gpu: present}.")


def test_a_changed_ray_job_runs_nothing_again() -> None:
    kube = scenario()
    kube.apply(ray_job())
    kube.reconcile()
    kube.apply(ray_job(entrypoint="echo other"))
    assert status_of(kube, "RayJob", "grpo")["jobDeploymentStatus"] == "Complete"
    assert replaced_by("RayJob", ray_job(), ray_job(entrypoint="echo other")) == []


def test_a_ray_job_with_its_own_cluster_makes_it_and_shuts_it_down() -> None:
    kube = scenario()
    kube.delete(ray_ref())
    own = {"clusterSelector": None, "rayClusterSpec": ray_cluster()["spec"]}
    kube.apply(ray_job(**own, shutdownAfterJobFinishes=True))
    assert len(kube.pods()) == 10
    assert "RayCluster" not in kube.inventory()
    kube.reconcile()
    assert status_of(kube, "RayJob", "grpo")["jobDeploymentStatus"] == "Complete"
    assert [pod.owner for pod in kube.pods()] == ["Job/grpo"]
    kube.delete(ray_ref("RayJob", "grpo"))
    assert kube.pods() == []


def test_http_mode_needs_no_submitter_and_interactive_mode_waits_for_its_user() -> None:
    kube = scenario()
    kube.apply(ray_job("over-http", submissionMode="HTTPMode"))
    kube.apply(ray_job("by-hand", submissionMode="InteractiveMode", entrypoint=None))
    assert len(kube.pods()) == 9
    assert status_of(kube, "RayJob", "over-http")["jobDeploymentStatus"] == "Complete"
    assert status_of(kube, "RayJob", "by-hand")["jobDeploymentStatus"] == "Waiting"


def test_a_ray_job_whose_machines_went_runs_again_when_they_are_back() -> None:
    kube = scenario()
    kube.apply(ray_job(submissionMode="HTTPMode"))
    kube.set_nodes([cpu_node()])
    for _ in range(3):
        kube.reconcile()
    status = status_of(kube, "RayJob", "grpo")
    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Running", "RUNNING")
    waiting = kube.health(ray_ref("RayJob", "grpo")).reason
    assert waiting.startswith("job is Running; waits for its machines: 0/9 pods are Running")
    kube.set_nodes([*gpu_nodes(), cpu_node()])
    kube.reconcile()
    assert status_of(kube, "RayJob", "grpo")["jobDeploymentStatus"] == "Complete"


def test_a_suspended_ray_job_has_nothing_running() -> None:
    kube = scenario()
    kube.delete(ray_ref())
    own = {"clusterSelector": None, "rayClusterSpec": ray_cluster()["spec"]}
    kube.apply(ray_job(**own, suspend=True, shutdownAfterJobFinishes=True))
    assert kube.pods() == []
    assert kube.health(ray_ref("RayJob", "grpo")).reason == "job is Suspended; suspended"


@pytest.mark.parametrize(
    ("spec", "ending"),
    [
        ({"clusterSelector": None}, "one of rayClusterSpec or clusterSelector must be set"),
        ({"clusterSelector": {"app": "x"}}, "required value: the RayCluster's name"),
        ({"suspend": True}, "spec.suspend: is not supported with clusterSelector"),
        ({"backoffLimit": 1}, "with clusterSelector: a retry needs its own cluster"),
        ({"metadata": {"team": "rl"}}, "spec.metadata: is not supported with clusterSelector"),
        ({"ttlSecondsAfterFinished": 60}, "only with shutdownAfterJobFinishes"),
        ({"entrypoint": " "}, "without it `ray job submit` has nothing to run"),
        ({"runtimeEnvYAML": "a: [1"}, "spec.runtimeEnvYAML: is not valid YAML"),
        ({"runtimeEnvYAML": "text"}, "spec.runtimeEnvYAML: must be a YAML mapping"),
        ({"activeDeadlineSeconds": 0}, "spec.activeDeadlineSeconds: 0 must be positive"),
        ({"deletionPolicy": "DeleteSelf"}, "the nearest known one is deletionStrategy"),
        (
            {"deletionStrategy": {"onSuccess": {"policy": "DeleteSelf"}}},
            "spec.deletionStrategy: the sandbox does not run it; nearest: leave it out",
        ),
        ({"entryPoint": "x"}, "unknown field, the nearest known one is entrypoint"),
        (
            {"submitterPodTemplate": {"spec": {"containers": [{"name": "s", "image": "i"}]}}},
            "spec.submitterPodTemplate.spec.restartPolicy: must be Never or OnFailure in a Job",
        ),
    ],
)
def test_what_kuberay_does_not_run_is_refused(spec: dict[str, Any], ending: str) -> None:
    assert refused(ray_job(**spec)).endswith(ending)


def test_a_ray_job_says_which_of_its_two_clusters_would_be_ignored() -> None:
    both = ray_job(rayClusterSpec=ray_cluster()["spec"])
    assert refused(both).endswith("is ignored beside clusterSelector, set one of the two")


def test_a_ray_job_name_leaves_room_for_its_clusters_name() -> None:
    assert refused(ray_job("a" * 48)).endswith("RayJob names have at most 47")
