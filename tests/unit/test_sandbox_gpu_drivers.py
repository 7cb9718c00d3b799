"""NVIDIA's driver on the nodes that the simulated GKE makes, and what images do on it.

It does not prove which driver a real GKE installs: that is a table of the catalog.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog import Catalog
from kube.objects import JsonObject
from sandbox.clusters import Kube
from tests.unit.memory_kube_samples import TOLERATION, asking, changed, make, only_pod, pod
from tests.unit.test_sandbox_tpu_autopilot import autopilot_in

VLLM = Catalog.load().image("vllm").reference
LABEL = "cloud.google.com/gke-gpu-driver-version"
L4 = {
    "cloud.google.com/compute-class": "Performance",
    "cloud.google.com/gke-accelerator": "nvidia-l4",
    "cloud.google.com/gke-accelerator-count": "2",
    "topology.kubernetes.io/zone": "us-central1-a",
}


@pytest.fixture
def kube(tmp_path: Path) -> Kube:
    return autopilot_in(tmp_path)


def server(image: str, **selector: str) -> JsonObject:
    wanted = pod("p", {"tolerations": [TOLERATION]}, resources=asking(gpu="2"))
    wanted = changed(wanted, {**L4, **selector}, "spec", "nodeSelector")
    return changed(wanted, image, "spec", "containers", 0, "image")


def test_a_pod_that_asks_for_no_driver_gets_the_default(kube: Kube) -> None:
    kube.apply(server("python:3.12.8-slim"))
    [node] = kube.nodes()
    assert (node.labels[LABEL], node.driver) == ("default", 535)
    assert only_pod(kube).phase == "Running"


def test_a_pod_that_asks_for_the_latest_driver_gets_it(kube: Kube) -> None:
    kube.apply(server(VLLM, **{LABEL: "latest"}))
    [node] = kube.nodes()
    assert (node.labels[LABEL], node.driver) == ("latest", 580)
    assert only_pod(kube).phase == "Running"


def test_a_program_whose_cuda_is_newer_than_the_driver_does_not_stay(kube: Kube) -> None:
    kube.apply(server(VLLM))
    assert only_pod(kube).phase == "Pending"
    assert "the NVIDIA driver on your system is too old: 535" in only_pod(kube).reason


def test_a_driver_that_gke_does_not_know_brings_no_node(kube: Kube) -> None:
    kube.apply(server(VLLM, **{LABEL: "newest"}))
    assert 'there is no GPU driver "newest"' in only_pod(kube).reason


@pytest.mark.parametrize(("given", "driver"), [({"driverVersion": "latest"}, 580), ({}, 570)])
def test_a_class_gives_its_nodes_the_driver_that_it_names(
    kube: Kube, given: dict[str, Any], driver: int
) -> None:
    gpu = {"type": "nvidia-b200", "count": 8, **given}
    where = {"machineType": "a4-highgpu-8g", "location": {"zones": ["us-central1-b"]}}
    spec = {"priorities": [{**where, "gpu": gpu}], "whenUnsatisfiable": "DoNotScaleUp"}
    kube.apply(make("ComputeClass", "b200", "cloud.google.com/v1", spec=spec))
    wanted = pod("p", {"tolerations": [TOLERATION]}, resources=asking(gpu="8"))
    selector = {"cloud.google.com/compute-class": "b200"}
    kube.apply(changed(wanted, selector, "spec", "nodeSelector"))
    [node] = kube.nodes()
    assert node.driver == driver
