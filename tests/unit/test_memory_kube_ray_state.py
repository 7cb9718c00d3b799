"""A RayCluster whose head keeps its state in Redis: what KubeRay gives its pods, refuses, and needs
to let it go. No Redis is there to prove anything by."""

from typing import Any

import pytest

from kube.errors import KubeError
from kube.objects import JsonObject
from sandbox.memory_kube.memory import MemoryKube
from tests.unit import kueue_samples
from tests.unit.memory_kube_samples import (
    CLUSTER,
    changed,
    gpu_nodes,
    lustre_claim,
    lustre_volume,
    make,
    ray_cluster,
    ray_ref,
    ref,
)

OPTIONS = {
    "redisAddress": "redis://10.0.0.3:6379",
    "redisPassword": {"valueFrom": {"secretKeyRef": {"name": "redis", "key": "REDIS_PASSWORD"}}},
}
HEAD = ("spec", "headGroupSpec")
ENV = (*HEAD, "template", "spec", "containers", 0, "env")


def tolerant(**options: Any) -> dict[str, Any]:
    return changed(ray_cluster(), {**OPTIONS, **options}, "spec", "gcsFaultToleranceOptions")


def running(cluster: dict[str, Any], *, password: bool = True) -> MemoryKube:
    kube = MemoryKube({}, gpu_nodes())
    if password:
        kube.apply(make("Secret", "redis", stringData={"REDIS_PASSWORD": "p"}))
    for manifest in (lustre_volume(), lustre_claim(), cluster):
        kube.apply(manifest)
    return kube


def pod_of(kube: MemoryKube, part: str) -> JsonObject:
    name = next(pod.name for pod in kube.pods() if part in pod.name)
    found = kube.get(ref("Pod", name))
    assert found is not None
    return found


def environment(pod: JsonObject) -> dict[str, Any]:
    return {it["name"]: it for it in pod["spec"]["containers"][0].get("env", [])}


def why(manifest: dict[str, Any]) -> str:
    with pytest.raises(KubeError) as caught:
        MemoryKube({}, gpu_nodes()).validate(manifest)
    return caught.value.message


@pytest.mark.parametrize(
    ("manifest", "at", "because"),
    [
        (
            changed(tolerant(), {"redis-password": "p"}, *HEAD, "rayStartParams"),
            "spec.headGroupSpec.rayStartParams",
            "redis-password may not be set beside gcsFaultToleranceOptions",
        ),
        (
            changed(tolerant(), [{"name": "REDIS_PASSWORD", "value": "p"}], *ENV),
            "containers[0].env",
            "REDIS_PASSWORD may not be set beside gcsFaultToleranceOptions",
        ),
        (
            changed(tolerant(), {"ray.io/ft-enabled": "true"}, "metadata", "annotations"),
            'metadata.annotations["ray.io/ft-enabled"]',
            "may not be set beside gcsFaultToleranceOptions",
        ),
        (
            changed(
                tolerant(), {"ray.io/external-storage-namespace": "a"}, "metadata", "annotations"
            ),
            'metadata.annotations["ray.io/external-storage-namespace"]',
            "may not be set beside gcsFaultToleranceOptions",
        ),
        (
            changed(ray_cluster(), [{"name": "RAY_REDIS_ADDRESS", "value": "r"}], *ENV),
            "containers[0].env",
            "RAY_REDIS_ADDRESS needs gcsFaultToleranceOptions",
        ),
        (
            changed(ray_cluster(), {}, "spec", "gcsFaultToleranceOptions"),
            "spec.gcsFaultToleranceOptions.redisAddress",
            "",
        ),
    ],
)
def test_what_kuberay_leaves_alone_for_ever_is_refused(
    manifest: dict[str, Any], at: str, because: str
) -> None:
    told = why(manifest)
    assert at in told
    assert because in told


def test_a_cluster_goes_where_kuberay_clears_redis() -> None:
    kube = running(tolerant())
    kube.delete(ray_ref())
    assert [pod.name for pod in kube.pods() if CLUSTER in pod.name] == []


def test_a_cluster_in_a_queue_never_goes_and_one_outside_of_it_does() -> None:
    kube = kueue_samples.scenario()
    state = {"redisAddress": OPTIONS["redisAddress"]}
    queued = changed(kueue_samples.ray_cluster(), state, "spec", "gcsFaultToleranceOptions")
    kube.apply(queued)
    with pytest.raises(
        KubeError, match=r"ray.io/gcs-ft-redis-cleanup-finalizer\): Kueue keeps the Job"
    ):
        kube.delete(kueue_samples.ray_ref())
    free = changed(changed(queued, ..., "metadata", "labels"), "free", "metadata", "name")
    kube.apply(free)
    kube.delete(kueue_samples.ray_ref(name="free"))
    assert kube.get(kueue_samples.ray_ref(name="free")) is None
