"""How many workers Ray has, and who decides; Ray's own autoscaler runs nowhere here."""

from dataclasses import replace

from components.ray_cluster import RayCluster
from components.ray_cluster_manifest import RayAutoscaling
from sandbox.memory_kube.memory import MemoryKube
from tests.conftest import Register, Registered
from tests.unit.memory_kube_samples import gpu_nodes, ray_ref
from tests.unit.stack_graphs import built
from tests.unit.test_ray_cluster import ARGS, with_workers

SCALING = RayAutoscaling(idle_seconds=120)


def made(register: Register, scaling: RayAutoscaling | None = SCALING) -> Registered:
    args = replace(with_workers(least=1), autoscaling=scaling)
    return register(lambda: RayCluster("ray", args)).named("ray-cluster")


def test_workers_come_and_go_between_the_fewest_and_one_on_each_node(register: Register) -> None:
    spec = made(register).inputs["spec"]
    (group,) = spec["workerGroupSpecs"]
    assert (group["minReplicas"], group["maxReplicas"]) == (1, 8)
    assert spec["enableInTreeAutoscaling"] is True
    assert spec["autoscalerOptions"]["idleTimeoutSeconds"] == 120
    assert spec["autoscalerOptions"]["upscalingMode"] == "Default"


def test_the_autoscaler_has_the_size_that_the_rules_count(register: Register) -> None:
    size = {"cpu": "500m", "memory": "512Mi"}
    options = made(register).inputs["spec"]["autoscalerOptions"]
    assert options["resources"] == {"requests": size, "limits": size}


def test_the_number_of_workers_is_the_autoscalers_to_write(register: Register) -> None:
    cluster = made(register).inputs
    assert "replicas" not in cluster["spec"]["workerGroupSpecs"][0]
    assert cluster["metadata"]["annotations"]["pulumi.com/patchForce"] == "true"


def test_without_it_nobody_else_writes_to_the_cluster(register: Register) -> None:
    cluster = made(register, None).inputs
    assert cluster["spec"]["workerGroupSpecs"][0]["replicas"] == 8
    assert "autoscalerOptions" not in cluster["spec"]
    assert "pulumi.com/patchForce" not in cluster["metadata"]["annotations"]


def test_a_cluster_that_starts_from_zero_is_ready_with_its_head_alone(register: Register) -> None:
    args = replace(ARGS, namespace="default", secret_name=None, secret_keys=(), autoscaling=SCALING)
    cluster = register(lambda: RayCluster("ray", args)).named("ray-cluster").inputs
    kube = MemoryKube({}, gpu_nodes())
    kube.apply({key: cluster[key] for key in ("apiVersion", "kind", "metadata", "spec")})
    found = kube.get(ray_ref(name="demo"))
    assert found is not None
    assert found["status"]["state"] == "ready"
    assert [pod.name.split("-")[1] for pod in kube.pods()] == ["head"]


def test_the_config_reaches_the_cluster(register: Register) -> None:
    spec = built(register, "dev", ray__dev__autoscaling={}).named("dev-cluster").inputs["spec"]
    assert spec["workerGroupSpecs"][0]["minReplicas"] == 0
    assert spec["autoscalerOptions"]["idleTimeoutSeconds"] == 300


def test_the_config_names_the_queue(register: Register) -> None:
    for queue in ("lq", None):
        up = built(register, "dev", ray__dev__queue=queue)
        labels = up.named("dev-cluster").inputs["metadata"]["labels"]
        assert labels.get("kueue.x-k8s.io/queue-name") == queue
