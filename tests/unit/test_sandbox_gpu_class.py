"""Machines with GPUs that the simulated Autopilot makes by a ComputeClass, and their devices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.clusters import Kube
from tests.unit.memory_kube_samples import changed, make, only_pod
from tests.unit.test_memory_kube_claims import claiming, template
from tests.unit.test_sandbox_tpu_autopilot import autopilot_in

CLASS = {"cloud.google.com/compute-class": "b200"}


@pytest.fixture
def kube(tmp_path: Path) -> Kube:
    return autopilot_in(tmp_path)


def compute_class() -> dict[str, Any]:
    return make(
        "ComputeClass",
        "b200",
        "cloud.google.com/v1",
        spec={
            "nodePoolAutoCreation": {"enabled": True},
            "nodePoolConfig": {"dra": {"networking": {"enabled": True}}},
            "priorities": [
                {
                    "machineType": "a4-highgpu-8g",
                    "gpu": {"type": "nvidia-b200", "count": 8},
                    "acceleratorNetworkProfile": "auto",
                    "location": {"zones": ["us-central1-b"]},
                    "spot": True,
                }
            ],
            "whenUnsatisfiable": "DoNotScaleUp",
        },
    )


def claiming_all(name: str = "p") -> dict[str, Any]:
    amounts = {"limits": {"nvidia.com/gpu": "8"}, "claims": [{"name": "netdev"}]}
    wanted = changed(claiming(name, "eight-mrdma"), CLASS, "spec", "nodeSelector")
    gpus = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    wanted = changed(wanted, [gpus], "spec", "tolerations")
    return changed(wanted, amounts, "spec", "containers", 0, "resources")


def test_a_pod_claims_the_eight_interfaces_of_a_machine_that_is_made_for_it(kube: Kube) -> None:
    kube.apply(compute_class())
    kube.apply(template("eight-mrdma", deviceClassName="mrdma.google.com", count=8))
    kube.apply(claiming_all())
    assert only_pod(kube).phase == "Running", only_pod(kube).reason
    [node] = kube.nodes()
    assert node.devices == {"netdev.google.com": 1, "mrdma.google.com": 8}
    assert node.networks == ()
    assert node.labels["cloud.google.com/gke-spot"] == "true"


def test_two_pods_get_a_machine_each(kube: Kube) -> None:
    kube.apply(compute_class())
    kube.apply(template("eight-mrdma", deviceClassName="mrdma.google.com", count=8))
    for name in ("p", "q"):
        kube.apply(claiming_all(name))
    assert len({it.node for it in kube.pods() if it.phase == "Running"}) == 2
