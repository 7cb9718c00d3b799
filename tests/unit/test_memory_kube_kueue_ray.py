"""Ray clusters and Ray jobs that wait in Kueue's queues."""

from dataclasses import replace
from typing import Any

import pytest

from sandbox.kube.objects import Ref
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.kueue_samples import (
    L4,
    NAMESPACE,
    asking,
    changed,
    cluster_queue,
    container,
    flavor,
    in_llm,
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
from tests.unit.kueue_samples import SCENARIO_QUOTAS as QUOTAS

POOL = "cloud.google.com/gke-nodepool"
NOTES = {"kueue.x-k8s.io/elastic-job": "true"}
ANNOTATIONS = ("metadata", "annotations")


def kueue_ray(kind: str = "RayCluster", name: str = "ray") -> Ref:
    return Ref(api_version="ray.io/v1", kind=kind, namespace=NAMESPACE, name=name)


def ray_cluster() -> dict[str, Any]:
    def template(**amounts: str) -> dict[str, Any]:
        spec = {
            "priorityClassName": "low",
            "containers": [container("ray", resources=asking(**amounts))],
        }
        return {"spec": spec}

    workers = {
        "groupName": "workers",
        "replicas": 2,
        "minReplicas": 2,
        "maxReplicas": 2,
        "rayStartParams": {},
        "template": template(cpu="4", memory="16Gi", gpu="2"),
    }
    spec = {
        "rayVersion": "2.54.0",
        "headGroupSpec": {"rayStartParams": {}, "template": template(cpu="2", memory="8Gi")},
        "workerGroupSpecs": [workers],
    }
    manifest = in_llm(make("RayCluster", "ray", "ray.io/v1", spec=spec))
    return changed(manifest, {"kueue.x-k8s.io/queue-name": "lq"}, "metadata", "labels")


def test_a_ray_cluster_starts_with_its_quota_and_goes_with_it() -> None:
    kube = scenario()
    kube.apply(ray_cluster())
    assert phases(kube, "ray") == ["Running"] * 3
    kube.apply(server(2))
    assert pods_of(kube, "ray") == []
    found = kube.get(kueue_ray())
    assert found is not None
    assert found["status"]["state"] == "suspended"
    kube.apply(server(1))
    assert phases(kube, "ray") == ["Running"] * 3


def test_a_ray_job_counts_its_cluster_and_its_submitter_and_gives_all_back() -> None:
    kube = scenario()
    cluster = ray_cluster()["spec"]
    spec = {
        "entrypoint": "python train.py",
        "rayClusterSpec": cluster,
        "shutdownAfterJobFinishes": True,
    }
    manifest = in_llm(make("RayJob", "train", "ray.io/v1", spec=spec))
    kube.apply(changed(manifest, {"kueue.x-k8s.io/queue-name": "lq"}, "metadata", "labels"))
    for _ in range(4):
        kube.reconcile()
    assert used(queue_of(kube)) == "0"
    found = kube.get(kueue_ray("RayJob", "train"))
    assert found is not None
    assert found["status"]["jobDeploymentStatus"] == "Complete"
    assert queue_of(kube).waiting == ()


def elastic(workers: int) -> dict[str, Any]:
    cluster = changed(ray_cluster(), True, "spec", "enableInTreeAutoscaling")
    (group,) = cluster["spec"]["workerGroupSpecs"]
    group |= {"minReplicas": 0, "replicas": workers}
    return changed(cluster, NOTES, *ANNOTATIONS)


def test_a_cluster_that_scales_has_the_quota_of_the_workers_that_there_are() -> None:
    kube = scenario()
    kube.apply(elastic(0))
    assert phases(kube, "ray") == ["Running"]
    assert used(queue_of(kube)) == "0"
    kube.scale(kueue_ray(), 1)
    assert phases(kube, "ray") == ["Running"] * 2
    assert used(queue_of(kube)) == "2"
    kube.scale(kueue_ray(), 0)
    assert used(queue_of(kube)) == "0"
    kube.scale(kueue_ray(), 1)
    assert phases(kube, "ray") == ["Running"] * 2


def test_pods_of_a_cluster_that_scales_are_gated_until_it_is_admitted() -> None:
    kube = scenario()
    kube.apply(server(3))
    kube.apply(elastic(1))
    found = kube.get(kueue_ray())
    assert found is not None
    head = found["spec"]["headGroupSpec"]["template"]["spec"]
    assert head["schedulingGates"] == [{"name": "kueue.x-k8s.io/elastic-job"}]
    assert found["status"]["state"] == "suspended"
    assert pods_of(kube, "ray") == []


def test_more_workers_wait_for_quota_and_those_that_run_go_on() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.apply(elastic(1))
    assert phases(kube, "ray") == ["Running"] * 2
    kube.apply(server(2))
    kube.scale(kueue_ray(), 2)
    assert sorted(phases(kube, "ray")) == ["Pending", "Running", "Running"]
    (waiting,) = queue_of(kube).waiting
    assert "insufficient unused quota for nvidia.com/gpu" in waiting.reason
    assert used(queue_of(kube)) == "6"
    kube.apply(server(1))
    assert phases(kube, "ray") == ["Running"] * 3
    assert queue_of(kube).waiting == ()


def two_flavors() -> MemoryKube:
    """Of nodes without GPUs and of nodes with them, in this order."""
    kube = with_kueue()
    kube.set_nodes([replace(it, labels={**it.labels, POOL: it.pool}) for it in kube.nodes()])
    none = [each if "gpu" not in each["name"] else quota(each["name"], "0") for each in QUOTAS]
    flavors = [
        {"name": name, "resources": quotas} for name, quotas in (("cpu", none), ("l4", [*QUOTAS]))
    ]
    both = {"coveredResources": [each["name"] for each in QUOTAS], "flavors": flavors}
    for manifest in (
        flavor("cpu", nodeLabels={POOL: "default"}),
        flavor("l4", nodeLabels={POOL: "l4"}),
        cluster_queue(resourceGroups=[both]),
        local_queue(),
        priority("low", 20),
    ):
        kube.apply(manifest)
    return kube


@pytest.mark.parametrize("named", [True, False])
def test_workers_stay_with_the_flavor_that_no_workers_had(named: bool) -> None:
    kube = two_flavors()
    cluster = elastic(0)
    (group,) = cluster["spec"]["workerGroupSpecs"]
    group["template"]["spec"]["nodeSelector"] = L4 | ({POOL: "l4"} if named else {})
    kube.apply(cluster)
    kube.scale(kueue_ray(), 1)
    reasons = [each.reason for each in queue_of(kube).waiting]
    if named:
        assert phases(kube, "ray") == ["Running"] * 2
        assert reasons == []
    else:
        assert sorted(phases(kube, "ray")) == ["Pending", "Running"]
        (why,) = reasons
        assert "could not assign l4 flavor since the original workload is assigned: cpu" in why


def test_after_a_forced_update_of_the_groups_workers_that_come_keep_their_gate() -> None:
    kube = scenario()
    kube.apply(elastic(1))
    forced = changed(elastic(1), {**NOTES, "pulumi.com/patchForce": "true"}, *ANNOTATIONS)
    for part in (forced["spec"]["headGroupSpec"], *forced["spec"]["workerGroupSpecs"]):
        part["template"]["spec"]["schedulingGates"] = [{"name": "kueue.x-k8s.io/elastic-job"}]
    kube.apply(forced)
    assert phases(kube, "ray") == ["Running"] * 2
    kube.scale(kueue_ray(), 2)
    assert sorted(phases(kube, "ray")) == ["Pending", "Running", "Running"]
    assert queue_of(kube).waiting == ()


def test_kueue_counts_replicas_and_kuberay_makes_as_many_as_have_to_be_there() -> None:
    kube = scenario()
    cluster = elastic(0)
    (group,) = cluster["spec"]["workerGroupSpecs"]
    group["minReplicas"] = 1
    kube.apply(cluster)
    assert sorted(phases(kube, "ray")) == ["Pending", "Running"]
    assert used(queue_of(kube)) == "0"
    kube.scale(kueue_ray(), 1)
    assert phases(kube, "ray") == ["Running"] * 2
