"""Ray clusters and Ray jobs that wait in Kueue's queues."""

from typing import Any

import pytest

from sandbox.kube.objects import Ref
from tests.unit.kueue_samples import (
    NAMESPACE,
    asking,
    changed,
    container,
    in_llm,
    make,
    phases,
    pods_of,
    queue_of,
    scenario,
    server,
    used,
)

POOL = "cloud.google.com/gke-nodepool"
NOTES = {"kueue.x-k8s.io/elastic-job": "true"}


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


@pytest.mark.parametrize("elastic", [False, True])
def test_a_ray_cluster_waits_for_its_quota_and_then_starts(*, elastic: bool) -> None:
    kube = scenario()
    kube.apply(server(2))
    cluster = ray_cluster()
    if elastic:
        cluster = changed(cluster, NOTES, "metadata", "annotations")
        (group,) = cluster["spec"]["workerGroupSpecs"]
        for template in (group["template"], cluster["spec"]["headGroupSpec"]["template"]):
            template["spec"]["schedulingGates"] = [{"name": "kueue.x-k8s.io/elastic-job"}]
    kube.apply(cluster)
    assert pods_of(kube, "ray") == []
    found = kube.get(kueue_ray())
    assert found is not None
    assert found["status"]["state"] == "suspended"
    kube.apply(server(1))
    assert phases(kube, "ray") == ["Running"] * 3
    assert used(queue_of(kube)) == "6"
