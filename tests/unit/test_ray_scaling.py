"""How many workers Ray has, and who decides; Ray's own autoscaler runs nowhere here."""

from dataclasses import replace
from typing import Any

import pytest

from components.ray_cluster import RayCluster
from components.ray_cluster_manifest import RayAutoscaling
from sandbox.memory_kube.memory import MemoryKube
from stacks.config import validate
from tests.conftest import Register, changed
from tests.programs import mistakes
from tests.unit.memory_kube_samples import gpu_nodes, ray_ref
from tests.unit.test_ray_cluster import ARGS

SCALING = RayAutoscaling(idle_seconds=120)


def mistake(config: dict[str, Any], **values: Any) -> str:
    (line,) = mistakes(changed(config, **values))
    return line


def test_a_cluster_that_starts_from_zero_is_ready_with_its_head_alone(register: Register) -> None:
    args = replace(ARGS, namespace="default", secret_name=None, secret_keys=(), autoscaling=SCALING)
    cluster = register(lambda: RayCluster("ray", args)).named("ray-cluster").inputs
    kube = MemoryKube({}, gpu_nodes())
    kube.apply({key: cluster[key] for key in ("apiVersion", "kind", "metadata", "spec")})
    found = kube.get(ray_ref(name="demo"))
    assert found is not None
    assert found["status"]["state"] == "ready"
    assert [pod.name.split("-")[1] for pod in kube.pods()] == ["head"]


def test_the_head_has_room_for_the_autoscaler_beside_it(dev: dict[str, Any]) -> None:
    most = {"ray__dev__head__requests__cpu": 3.0}
    validate(changed(dev, **most, ray__dev__autoscaling=None))
    assert mistake(dev, **most).startswith("stack.ray.dev.head.requests.cpu: 3")


def test_the_head_has_room_for_the_log_container_of_gkes_add_on(dev: dict[str, Any]) -> None:
    most = {"ray__dev__head__requests__cpu": 3.1, "ray__dev__autoscaling": None}
    validate(changed(dev, **most, cluster__ray_operator="helm"))
    assert mistake(dev, **most).startswith("stack.ray.dev.head.requests.cpu: 3.1")


@pytest.mark.parametrize("both", [["addon", "helm"], "both", "addon, helm", True])
def test_one_operator_runs_ray_and_never_two(dev: dict[str, Any], both: Any) -> None:
    line = mistake(dev, cluster__ray_operator=both)
    assert line.startswith("stack.cluster.ray_operator: ")
    assert "one of them, never both; nearest: addon" in line


def test_a_misspelt_operator_is_told_the_nearest(dev: dict[str, Any]) -> None:
    assert mistake(dev, cluster__ray_operator="hem").endswith("never both; nearest: helm")
