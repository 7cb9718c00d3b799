"""The smallest stack, as a graph."""

from typing import Any

import pytest

from stacks import build
from stacks.config import validate
from tests.conftest import Recording, Register, changed


@pytest.fixture
def up(register: Register, dev: dict[str, Any]) -> Any:
    def run(**values: Any) -> Recording:
        config = validate(changed(dev, **values))
        return register(lambda: build(config, {}))

    return run


def test_it_has_no_lustre_no_token_and_no_job(up: Any) -> None:
    made = up()
    for kind in (":Instance", ":Connection", ":Secret", ":PersistentVolume", ":RayJob"):
        assert not made.of_type(kind)
    assert "apis-lustre" not in made.names()
    assert "lustreCsiDriverConfig" not in made.named("gke-cluster").inputs["addonsConfig"]


def test_one_spot_machine_with_a_gpu_comes_from_zero(up: Any) -> None:
    pool = up().named("gpu-pool").inputs
    assert pool["nodeConfig"]["spot"] is True
    assert pool["nodeConfig"]["guestAccelerators"][0]["type"] == "nvidia-l4"
    assert pool["autoscaling"]["totalMinNodeCount"] == 0
    assert pool["autoscaling"]["totalMaxNodeCount"] == 1


def test_ray_has_one_worker_with_the_gpu(up: Any) -> None:
    spec = up().named("ray-cluster").inputs["spec"]
    group = spec["workerGroupSpecs"][0]
    assert group["replicas"] == 1
    container = group["template"]["spec"]["containers"][0]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert [it["name"] for it in container["volumeMounts"]] == ["dshm"]
    assert "env" not in container


def test_a_namespace_of_its_own_is_made_first(up: Any) -> None:
    made = up(namespace="rl")
    assert made.named("kube-namespace").inputs["metadata"]["name"] == "rl"
    assert "kube-namespace" in made.waits_for("ray-cluster")
    assert "kube-namespace" not in up().names()
