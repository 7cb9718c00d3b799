"""How many workers Ray has, and who decides; Ray's own autoscaler runs nowhere here."""

from dataclasses import replace

from components.ray.cluster import RayCluster
from components.ray.cluster_manifest import RayAutoscaling
from sandbox.memory_kube.memory import MemoryKube
from tests.conftest import Register, inside
from tests.unit.memory_kube_samples import gpu_nodes, ray_ref
from tests.unit.test_ray_cluster import ARGS

SCALING = RayAutoscaling(idle_seconds=120)


def test_a_cluster_that_starts_from_zero_is_ready_with_its_head_alone(register: Register) -> None:
    args = replace(ARGS, namespace="default", secret_name=None, secret_keys=(), autoscaling=SCALING)
    cluster = register(lambda: RayCluster("ray", args, opts=inside())).named("ray-cluster").inputs
    kube = MemoryKube({}, gpu_nodes())
    kube.apply({key: cluster[key] for key in ("apiVersion", "kind", "metadata", "spec")})
    found = kube.get(ray_ref(name="demo"))
    assert found is not None
    assert found["status"]["state"] == "ready"
    assert [pod.name.split("-")[1] for pod in kube.pods()] == ["head"]
