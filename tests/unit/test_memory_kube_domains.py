"""NVLink domains in memory: NVIDIA's chart, the template that its controller makes, and who gets a
channel."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog
from components.nccl.gpu_claim_driver import domain_values
from kube.errors import KubeError
from kube.objects import Node, Ref, Taint
from sandbox.kube.claims import CHANNEL_CLASS
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import make, pod

CHART = Catalog.load().component("gpu_claim_driver")
ACCELERATOR = "cloud.google.com/gke-accelerator"
ARM = Taint(key="kubernetes.io/arch", value="arm64", effect="NoSchedule")
PLAIN = Node(name="cpu-0", pool="cpu", allocatable={"cpu": "8", "memory": "32Gi"})


def node(number: int) -> Node:
    return Node(
        name=f"a4x-{number}",
        pool="a4x",
        labels={ACCELERATOR: "nvidia-gb200"},
        taints=(ARM,),
        allocatable={"cpu": "139", "memory": "800Gi"},
        devices={CHANNEL_CLASS: 1},
    )


def release() -> dict[str, Any]:
    assert CHART.chart is not None
    values = domain_values(["nvidia-gb200"])
    spec = {"chart": CHART.chart.name, "version": CHART.version, "values": values}
    metadata = {"name": "dra-driver-nvidia-gpu", "namespace": "default"}
    return {"apiVersion": "helm.sh/v3", "kind": "Release", "metadata": metadata, "spec": spec}


def domain() -> dict[str, Any]:
    channel = {"resourceClaimTemplate": {"name": "train-channel"}}
    spec = {"numNodes": 2, "channel": channel}
    return make("ComputeDomain", "train", "resource.nvidia.com/v1beta1", spec=spec)


def claiming(name: str, *, tolerates: bool = True) -> dict[str, Any]:
    claims = [{"name": "nvlink", "resourceClaimTemplateName": "train-channel"}]
    arm = [{"key": ARM.key, "operator": "Equal", "value": ARM.value}] if tolerates else []
    return pod(
        name,
        {"resourceClaims": claims, "tolerations": arm},
        resources={"claims": [{"name": "nvlink"}]},
    )


@pytest.fixture
def kube() -> MemoryKube:
    made = MemoryKube({}, [node(0), node(1), PLAIN])
    made.apply(release())
    return made


def phases(kube: MemoryKube) -> dict[str, str]:
    return {it.name: it.phase for it in kube.pods() if it.name.startswith("job")}


def test_a_node_has_one_channel_of_the_domain(kube: MemoryKube) -> None:
    kube.apply(domain())
    for number in range(3):
        kube.apply(claiming(f"job-{number}"))
    assert phases(kube) == {"job-0": "Running", "job-1": "Running", "job-2": "Pending"}


def test_a_pod_that_does_not_tolerate_arm_waits(kube: MemoryKube) -> None:
    kube.apply(domain())
    kube.apply(claiming("job", tolerates=False))
    assert phases(kube) == {"job": "Pending"}


def test_the_template_comes_and_goes_with_its_domain(kube: MemoryKube) -> None:
    kube.apply(claiming("job"))
    assert phases(kube) == {"job": "Pending"}
    kube.apply(domain())
    assert phases(kube) == {"job": "Running"}
    template = Ref(
        api_version="resource.k8s.io/v1",
        kind="ResourceClaimTemplate",
        namespace="default",
        name="train-channel",
    )
    assert kube.get(template) is not None
    (live,) = kube.named("resource.nvidia.com/v1beta1", "ComputeDomain", "train")
    kube.delete(live)
    assert kube.get(template) is None


def test_without_the_chart_there_is_no_such_kind() -> None:
    with pytest.raises(KubeError, match="the Helm chart dra-driver-nvidia-gpu brings it"):
        MemoryKube({}, [node(0)]).apply(domain())


def test_the_controller_is_on_other_nodes_and_the_plug_in_on_these(kube: MemoryKube) -> None:
    where = {it.node: it.name for it in kube.pods()}
    assert "controller" in where["cpu-0"]
    assert {"a4x-0", "a4x-1"} <= where.keys()
