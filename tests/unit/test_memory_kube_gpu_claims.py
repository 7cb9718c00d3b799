"""GPUs that pods claim, in memory: NVIDIA's chart, what nodes publish, and who gets it."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog
from components.nccl.gpu_claim_driver import driver_values
from kube.errors import KubeError
from kube.objects import Node, Ref
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import make, pod

CHART = Catalog.load().component("gpu_claim_driver")
NODE = Node(
    name="a4-0",
    pool="a4",
    labels={"nvidia.com/gpu.present": "true"},
    allocatable={"cpu": "223", "memory": "3870Gi"},
    devices={"mrdma.google.com": 8, "gpu.nvidia.com": 8},
)


def release(**values: Any) -> dict[str, Any]:
    assert CHART.chart is not None
    spec = {"chart": CHART.chart.name, "version": CHART.version}
    return {
        "apiVersion": "helm.sh/v3",
        "kind": "Release",
        "metadata": {"name": "dra-driver-nvidia-gpu", "namespace": "default"},
        "spec": {**spec, "values": {**driver_values(), **values}},
    }


def test_a_chart_by_the_digest_of_its_version_is_installed() -> None:
    assert CHART.chart is not None
    assert CHART.version is not None
    by_digest = release()
    by_digest["spec"]["chart"] += f"@{CHART.chart.checked_digest(CHART.version)}"
    kube = MemoryKube({}, [])
    kube.apply(by_digest)
    installed = kube.get(Ref.of(by_digest))
    assert installed is not None
    assert installed["status"]["chart"] == "dra-driver-nvidia-gpu"


def test_a_chart_by_another_digest_than_its_versions_is_refused() -> None:
    other = release()
    other["spec"]["chart"] += f"@sha256:{'0' * 64}"
    with pytest.raises(KubeError, match="chart reference digest mismatch: sha256:7a00373f"):
        MemoryKube({}, []).apply(other)


def template(count: int) -> dict[str, Any]:
    requests = [
        {
            "name": name,
            "exactly": {
                "deviceClassName": name,
                "allocationMode": "ExactCount",
                "count": count,
            },
        }
        for name in ("gpu.nvidia.com", "mrdma.google.com")
    ]
    for it in requests:
        it["name"] = str(it["name"]).split(".")[0]
    spec = {"spec": {"devices": {"requests": requests}}}
    return make("ResourceClaimTemplate", "pairs", "resource.k8s.io/v1", spec=spec)


def claiming(name: str) -> dict[str, Any]:
    claims = [{"name": "pairs", "resourceClaimTemplateName": "pairs"}]
    return pod(name, {"resourceClaims": claims}, resources={"claims": [{"name": "pairs"}]})


def phases(kube: MemoryKube) -> dict[str, str]:
    return {it.name: it.phase for it in kube.pods() if it.name.startswith("job")}


def test_no_gpu_is_given_twice_and_the_fifth_job_of_two_waits() -> None:
    kube = MemoryKube({}, [NODE])
    kube.apply(release())
    kube.apply(template(2))
    for number in range(5):
        kube.apply(claiming(f"job-{number}"))
    assert phases(kube) == {
        **{f"job-{number}": "Running" for number in range(4)},
        "job-4": "Pending",
    }


def test_without_the_driver_its_class_is_not_there() -> None:
    kube = MemoryKube({}, [NODE])
    kube.apply(template(1))
    kube.apply(claiming("job"))
    (found,) = (it for it in kube.pods() if it.name == "job")
    assert found.phase == "Pending"
    assert "device class gpu.nvidia.com does not exist" in found.reason


def test_the_driver_runs_on_nodes_with_its_label() -> None:
    plain = Node(name="cpu-0", pool="cpu", allocatable={"cpu": "8", "memory": "32Gi"})
    kube = MemoryKube({}, [NODE, plain])
    kube.apply(release())
    (plugin,) = kube.pods()
    assert (plugin.node, plugin.phase) == ("a4-0", "Running")


def test_the_chart_is_told_that_there_is_no_device_plugin() -> None:
    with pytest.raises(KubeError, match="gpuResourcesEnabledOverride true"):
        MemoryKube({}, [NODE]).apply(release(gpuResourcesEnabledOverride=False))
