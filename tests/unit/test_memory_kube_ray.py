"""RayCluster and RayJob on simulated A4 nodes: placing, readiness and KubeRay's refusals.

It cannot prove that Ray itself starts: there are no containers.
"""

import json
from collections import Counter
from typing import Any

import pytest

from kube.errors import KubeError
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    CLAIM,
    CLUSTER,
    changed,
    cpu_node,
    gpu_nodes,
    ray_cluster,
    ray_ref,
    ref,
    scenario,
)

WORKERS = ("spec", "workerGroupSpecs", 0)


def status_of(kube: MemoryKube, kind: str = "RayCluster", name: str = CLUSTER) -> dict[str, Any]:
    found = kube.get(ray_ref(kind, name))
    assert found is not None
    return found["status"]


def refused(manifest: dict[str, Any]) -> str:
    with pytest.raises(KubeError) as caught:
        MemoryKube({}, gpu_nodes()).validate(manifest)
    return caught.value.message


def test_the_scenario_runs_one_worker_a_node_with_the_head_beside_one_of_them() -> None:
    kube = scenario()
    pods = kube.pods()
    assert {pod.phase for pod in pods} == {"Running"}
    assert {pod.owner for pod in pods} == {f"RayCluster/{CLUSTER}"}
    per_node = Counter(pod.node for pod in pods if "-worker-" in pod.name)
    assert per_node == {f"a4-{index}": 1 for index in range(8)}
    status = status_of(kube)
    assert status["state"] == "ready"
    assert status["desiredWorkerReplicas"] == 8
    assert kube.health(ray_ref()).reason == "9/9 pods are Running"


def test_controllers_work_is_not_in_the_inventory() -> None:
    assert scenario().inventory() == {
        "PersistentVolume": ["rl-demo-gpu-lustre-pv"],
        "PersistentVolumeClaim": [f"default/{CLAIM}"],
        "RayCluster": [f"default/{CLUSTER}"],
    }


@pytest.mark.parametrize(
    ("worker", "lacking"),
    [({"gpu": "9"}, "nvidia.com/gpu"), ({"cpu": "300"}, "cpu"), ({"memory": "4000Gi"}, "memory")],
)
def test_a_worker_that_no_node_can_hold_stays_pending_and_says_why(
    worker: dict[str, str], lacking: str
) -> None:
    kube = scenario(worker=worker)
    waiting = [pod for pod in kube.pods() if "-worker-" in pod.name]
    assert {pod.phase for pod in waiting} == {"Pending"}
    text = "1 node(s) didn't match Pod's node affinity/selector, 8 Insufficient"
    assert waiting[0].reason == f"0/9 nodes are available: {text} {lacking}."
    assert "state" not in status_of(kube)
    assert kube.health(ray_ref()).reason.startswith("1/9 pods are Running; ")
    assert kube.health(ray_ref()).reason.endswith(f"8 Insufficient {lacking}.")


def test_workers_without_the_toleration_are_kept_off_by_the_taint() -> None:
    kube = scenario()
    bare = changed(ray_cluster(), [], *WORKERS, "template", "spec", "tolerations")
    kube.delete(ray_ref())
    kube.apply(bare)
    worker = next(pod for pod in kube.pods() if "-worker-" in pod.name)
    assert worker.reason.endswith("8 node(s) had untolerated taint {nvidia.com/gpu: present}.")


def test_a_pool_that_comes_later_takes_the_waiting_pods_and_one_that_goes_gives_them_back() -> None:
    kube = scenario()
    kube.set_nodes([cpu_node()])
    assert {pod.phase for pod in kube.pods()} == {"Pending"}
    assert "state" not in status_of(kube)
    kube.set_nodes([*gpu_nodes(), cpu_node()])
    assert status_of(kube)["state"] == "ready"


def test_the_state_round_trips_through_json_and_an_unchanged_apply_changes_nothing() -> None:
    state: dict[str, Any] = {}
    first = scenario(state)
    text = json.dumps(state, sort_keys=True)
    again_state = json.loads(text)
    again = MemoryKube(again_state, [*gpu_nodes(), cpu_node()])
    assert again.pods() == first.pods()
    again.apply(ray_cluster())
    assert json.dumps(again_state, sort_keys=True) == text


def test_scaling_acts_and_a_changed_template_leaves_running_pods_alone() -> None:
    kube = scenario()
    names = {pod.name for pod in kube.pods()}
    kube.apply(ray_cluster(cpu="90"))
    assert {pod.name for pod in kube.pods()} == names
    smaller = changed(changed(ray_cluster(), 6, *WORKERS, "replicas"), 6, *WORKERS, "minReplicas")
    kube.apply(smaller)
    assert len(kube.pods()) == 7
    assert status_of(kube)["state"] == "ready"


def test_every_replica_of_a_group_has_num_of_hosts_pods() -> None:
    kube = MemoryKube({}, gpu_nodes())
    kube.apply(changed(ray_cluster(), 2, *WORKERS, "numOfHosts"))
    assert status_of(kube)["desiredWorkerReplicas"] == 16


def test_a_suspended_cluster_has_no_pods() -> None:
    kube = scenario()
    kube.apply(changed(ray_cluster(), True, "spec", "suspend"))
    assert kube.pods() == []
    assert status_of(kube)["state"] == "suspended"
    assert kube.health(ray_ref()).reason == "cluster is suspended"


def test_deleting_the_cluster_takes_its_pods_and_frees_the_claim() -> None:
    kube = scenario()
    with pytest.raises(KubeError, match=r"used by Pod default/ray-a4-gpu-spot-head-\w{5}"):
        kube.delete(ref("PersistentVolumeClaim", CLAIM))
    kube.delete(ray_ref())
    assert kube.pods() == []
    kube.delete(ref("PersistentVolumeClaim", CLAIM))


def test_pulumi_waits_for_a_ray_cluster_only_where_wait_for_says_so() -> None:
    kube = scenario(worker={"gpu": "9"})
    assert kube.readiness(ray_ref()).reason.endswith("only with pulumi.com/waitFor")
    wait = {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"}
    kube.apply(changed(ray_cluster(gpu="9"), wait, "metadata", "annotations"))
    answer = kube.readiness(ray_ref())
    assert not answer.ready
    assert answer.reason.startswith("waiting for jsonpath={.status.state}=ready: 1/9 pods")
    good = scenario()
    good.apply(changed(ray_cluster(), wait, "metadata", "annotations"))
    assert good.readiness(ray_ref()).ready


def test_a_wait_for_that_pulumi_cannot_read_is_refused() -> None:
    bad = {"pulumi.com/waitFor": "status.state=ready"}
    assert refused(changed(ray_cluster(), bad, "metadata", "annotations")).endswith(
        'expected a "jsonpath=" or "condition=" prefix, got "status.state=ready"'
    )


@pytest.mark.parametrize(
    ("value", "path", "ending"),
    [
        (
            3,
            ("spec", "workerGroupSpec"),
            "unknown field, the nearest known one is workerGroupSpecs",
        ),
        (..., ("spec", "headGroupSpec"), "spec.headGroupSpec: required value"),
        (..., (*WORKERS, "groupName"), "spec.workerGroupSpecs[0].groupName: required value"),
        ("8", (*WORKERS, "replicas"), "[0].replicas: must be integer, not string"),
        (9, (*WORKERS, "minReplicas"), "[0].minReplicas: 9 is greater than maxReplicas 8"),
        (9, (*WORKERS, "replicas"), "minReplicas 8 to maxReplicas 8: KubeRay would run 8"),
        (0, (*WORKERS, "numOfHosts"), "[0].numOfHosts: 0 must be at least 1"),
        ("GPU_group", (*WORKERS, "groupName"), "must be at most 63 letters, digits or -"),
        (
            {"type": "Recreate"},
            ("spec", "upgradeStrategy"),
            "spec.upgradeStrategy.type: Recreate: the sandbox does not run it; nearest: None",
        ),
        ("a" * 54, ("metadata", "name"), "has 54 characters, RayCluster names have at most 53"),
        ("4b200", ("metadata", "name"), "digits or - and start with a letter"),
        ([], (*WORKERS, "template", "spec", "containers"), "spec.containers: required value"),
        (
            {"dashboard-port": 8265},
            ("spec", "headGroupSpec", "rayStartParams"),
            "rayStartParams.dashboard-port: must be string, not integer",
        ),
        (
            "x",
            (*WORKERS, "template", "spec", "nodeSelectors"),
            "spec.nodeSelectors: unknown field, the nearest known one is nodeSelector",
        ),
        (
            "200",
            (*WORKERS, "template", "spec", "containers", 0, "resources", "requests", "cpu"),
            '"200" must be less than or equal to cpu limit of 100',
        ),
    ],
)
def test_a_mistake_in_a_ray_cluster_is_refused_by_its_field(
    value: Any, path: tuple[str | int, ...], ending: str
) -> None:
    assert refused(changed(ray_cluster(), value, *path)).endswith(ending)


def test_two_groups_of_one_name_are_refused() -> None:
    group = ray_cluster()["spec"]["workerGroupSpecs"][0]
    twice = changed(ray_cluster(), [group, group], "spec", "workerGroupSpecs")
    assert refused(twice).endswith('[1].groupName: duplicate value "gpu-worker-group"')


def test_a_suspended_group_has_no_pods_and_the_cluster_is_ready_without_them() -> None:
    """KubeRay 1.6.2, whose RayJobDeletionPolicy is on by default."""
    kube = scenario()
    kube.apply(changed(ray_cluster(), True, *WORKERS, "suspend"))
    kube.reconcile()
    assert [it.name for it in kube.pods() if "worker" in it.name] == []
    assert kube.health(ray_ref()).ready


def test_a_group_of_a_cluster_that_scales_by_itself_is_not_suspended() -> None:
    scaling = changed(ray_cluster(), True, "spec", "enableInTreeAutoscaling")
    ending = "[0].suspend: is not supported with enableInTreeAutoscaling"
    assert refused(changed(scaling, True, *WORKERS, "suspend")).endswith(ending)
