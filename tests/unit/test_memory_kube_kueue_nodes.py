"""Topologies and admission checks in memory: what is refused, and which queue waits for them."""

from typing import Any

import pytest

from kube.errors import KubeError
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.kueue_samples import (
    KUEUE,
    L4,
    changed,
    cluster_queue,
    flavor,
    kueue_ref,
    make,
    refused,
    with_kueue,
)

HOSTNAME = {"nodeLabel": "kubernetes.io/hostname"}
BLOCK = {"nodeLabel": "cloud.google.com/gce-topology-block"}
CHECK: dict[str, Any] = {"admissionChecksStrategy": {"admissionChecks": [{"name": "dws"}]}}


def topology(*levels: dict[str, str]) -> dict[str, Any]:
    return make("Topology", "nodes", KUEUE, spec={"levels": list(levels)})


def check() -> dict[str, Any]:
    spec = {"controllerName": "kueue.x-k8s.io/provisioning-request"}
    return make("AdmissionCheck", "dws", KUEUE, spec=spec)


def holding(*manifests: dict[str, Any]) -> MemoryKube:
    kube = with_kueue()
    for manifest in manifests:
        kube.apply(manifest)
    return kube


def active(kube: MemoryKube) -> dict[str, Any]:
    queue = kube.get(kueue_ref("ClusterQueue", "cluster-queue"))
    assert queue is not None
    (condition,) = queue["status"]["conditions"]
    return condition


@pytest.mark.parametrize(
    ("manifest", "ending"),
    [
        (topology(), "must have at least 1 item"),
        (topology(BLOCK, BLOCK), "must be unique"),
        (topology(HOSTNAME, BLOCK), "can only be used at the lowest level of topology"),
        (flavor(topologyName="nodes"), "at least one nodeLabel is required when topology is set"),
    ],
)
def test_a_topology_and_its_flavor_are_refused_as_by_kueues_definitions(
    manifest: dict[str, Any], ending: str
) -> None:
    assert refused(manifest).endswith(ending)


def test_a_queue_waits_for_the_topology_of_its_flavor() -> None:
    kube = holding(flavor(nodeLabels=L4, topologyName="nodes"), cluster_queue())
    assert active(kube)["reason"] == "TopologyNotFound"
    kube.apply(topology(BLOCK, HOSTNAME))
    assert active(kube)["status"] == "True"


def test_what_a_flavor_with_a_topology_says_stays() -> None:
    placed = flavor(nodeLabels=L4, topologyName="nodes")
    kube = holding(topology(HOSTNAME), placed)
    with pytest.raises(KubeError, match=r"spec.nodeLabels: field is immutable"):
        kube.apply(changed(placed, {"other": "nodes"}, "spec", "nodeLabels"))
    with pytest.raises(KubeError, match=r"spec.levels.*field is immutable"):
        kube.apply(topology(BLOCK, HOSTNAME))


def test_a_queue_waits_for_the_check_that_it_names() -> None:
    kube = holding(flavor(nodeLabels=L4), cluster_queue(**CHECK))
    assert active(kube)["reason"] == "AdmissionCheckNotFound"
    kube.apply(check())
    assert active(kube)["status"] == "True"


@pytest.mark.parametrize(
    ("kind", "name", "objects"),
    [
        ("Topology", "nodes", [topology(HOSTNAME), flavor(nodeLabels=L4, topologyName="nodes")]),
        ("AdmissionCheck", "dws", [check(), flavor(nodeLabels=L4), cluster_queue(**CHECK)]),
    ],
)
def test_what_is_named_does_not_go(kind: str, name: str, objects: list[dict[str, Any]]) -> None:
    kube = holding(*objects)
    with pytest.raises(KubeError, match=r"finalizer kueue.x-k8s.io/resource-in-use"):
        kube.delete(kueue_ref(kind, name))
