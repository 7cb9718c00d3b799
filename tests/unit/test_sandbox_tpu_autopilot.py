"""TPU slices that the simulated Autopilot makes for pods, by their selectors or a ComputeClass."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from kube.errors import KubeError
from kube.objects import Node
from sandbox.cloud.resource import Resource
from sandbox.clusters import Kube, in_memory
from sandbox.faults import Faults, Stockout
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import changed, make, only_pod, pod
from tests.unit.simulated_project import APIS, Project
from tests.unit.test_memory_kube_claims import claiming, template
from tests.unit.test_memory_kube_multi_host import tpu_cluster

V6E = "ct6e-standard-4t"
ZONE = "us-central1-b"
GKE = "cloud.google.com"
TPU = "google.com/tpu"
SLICE = {f"{GKE}/gke-tpu-accelerator": "tpu-v6e-slice", f"{GKE}/gke-tpu-topology": "4x4"}
CLASS = {f"{GKE}/compute-class": "slices"}


def autopilot_in(path: Path, faults: Faults | None = None, **inputs: Any) -> Kube:
    project = Project(path, faults)
    project.enable(*APIS)
    network = project.network()
    subnet = project.subnet(network, region="us-central1")
    wanted = {"location": "us-central1", "nodeLocations": None, "enableAutopilot": True}
    wanted |= {"minMasterVersion": "1.35", **inputs}
    made: Resource = project.cluster(network, subnet, **wanted)
    return in_memory(made, project.cloud)


@pytest.fixture
def kube(tmp_path: Path) -> Kube:
    return autopilot_in(tmp_path)


def tpu_pod(selector: dict[str, str], chips: int = 4, name: str = "p") -> dict[str, Any]:
    return pod(name, {"nodeSelector": selector}, resources={"limits": {TPU: str(chips)}})


def priority(**fields: Any) -> dict[str, Any]:
    return {
        "machineType": V6E,
        "tpu": {"type": "tpu-v6e-slice", "count": 4, "topology": "4x4"},
        "location": {"zones": [ZONE]},
        "spot": True,
        **fields,
    }


def compute_class(*priorities: dict[str, Any], dranet: bool = True) -> dict[str, Any]:
    return make(
        "ComputeClass",
        "slices",
        "cloud.google.com/v1",
        spec={
            "nodePoolAutoCreation": {"enabled": True},
            "nodePoolConfig": {"dra": {"networking": {"enabled": dranet}}},
            "priorities": list(priorities or [priority()]),
            "whenUnsatisfiable": "DoNotScaleUp",
        },
    )


def claiming_tpus() -> dict[str, Any]:
    """A pod of the class that claims two interfaces."""
    amounts = {"limits": {TPU: "4"}, "claims": [{"name": "netdev"}]}
    wanted = changed(claiming(), CLASS, "spec", "nodeSelector")
    return changed(wanted, amounts, "spec", "containers", 0, "resources")


def node_for(kube: Kube, wanted: dict[str, Any]) -> Node:
    kube.apply(wanted)
    assert only_pod(kube).phase == "Running", only_pod(kube).reason
    [node] = kube.nodes()
    return node


def reason_of(kube: Kube, wanted: dict[str, Any]) -> str:
    kube.apply(wanted)
    assert only_pod(kube).phase == "Pending"
    return only_pod(kube).reason


def test_a_tpu_pod_gets_the_machine_with_its_chips_where_there_is_one(kube: Kube) -> None:
    node = node_for(kube, tpu_pod(SLICE))
    assert node.labels["node.kubernetes.io/instance-type"] == V6E
    assert node.labels["topology.kubernetes.io/zone"] == ZONE
    assert SLICE.items() <= node.labels.items()
    assert node.devices == {}


def test_the_chips_of_a_pod_choose_between_machines_of_one_topology(kube: Kube) -> None:
    node = node_for(kube, tpu_pod({**SLICE, f"{GKE}/gke-tpu-topology": "2x4"}, chips=8))
    assert node.labels["node.kubernetes.io/instance-type"] == "ct6e-standard-8t"


def test_a_class_gives_its_machine_with_spot_and_claimable_interfaces(kube: Kube) -> None:
    kube.apply(compute_class())
    kube.apply(template())
    node = node_for(kube, claiming_tpus())
    assert node.devices == {"netdev.google.com": 2}
    assert node.labels[f"{GKE}/gke-spot"] == "true"
    assert {**CLASS, **SLICE}.items() <= node.labels.items()


def test_a_class_without_dranet_has_no_devices_to_claim(kube: Kube) -> None:
    kube.apply(compute_class(dranet=False))
    kube.apply(template())
    assert reason_of(kube, claiming_tpus()).endswith("1 cannot allocate all claims.")


def test_each_replica_of_a_ray_cluster_gets_a_slice(kube: Kube) -> None:
    kube.apply(compute_class())
    at = ("spec", "workerGroupSpecs", 0, "template", "spec", "nodeSelector")
    kube.apply(changed(tpu_cluster(), {**SLICE, **CLASS}, *at))
    assert {each.phase for each in kube.pods()} == {"Running"}
    slices = [node.pool for node in kube.nodes() if TPU in node.allocatable]
    assert sorted(map(slices.count, set(slices))) == [4, 4]


def test_the_second_priority_is_tried_when_the_first_has_nothing(tmp_path: Path) -> None:
    gone = Faults(rules=(Stockout(kind="stockout", machine_type=V6E, zone=ZONE),))
    kube = autopilot_in(tmp_path, gone)
    v5p = priority(
        machineType="ct5p-hightpu-4t",
        tpu={"type": "tpu-v5p-slice", "count": 4, "topology": "2x2x2"},
        location={"zones": ["us-central1-a"]},
    )
    kube.apply(compute_class(priority(), v5p, dranet=False))
    node = node_for(kube, tpu_pod(CLASS))
    assert node.labels["node.kubernetes.io/instance-type"] == "ct5p-hightpu-4t"


@pytest.mark.parametrize(
    ("selector", "chips", "end"),
    [
        ({}, 4, r"google.com/tpu needs a nodeSelector cloud.google.com/gke-tpu-accelerator$"),
        ({**SLICE, f"{GKE}/gke-tpu-topology": "4x5"}, 4, r"no machine type with 4 tpu-v6.* 4x5$"),
        (SLICE, 3, r"there is no machine type with 3 tpu-v6e-slice 4x4$"),
        (
            {f"{GKE}/compute-class": "other"},
            4,
            r'computeclasses.cloud.google.com "other" not found$',
        ),
        (
            {**CLASS, f"{GKE}/gke-tpu-topology": "8x8"},
            4,
            r'ComputeClass "slices" has nothing that the pod selects; it has: .*topology=4x4.*$',
        ),
        (CLASS, 8, r"the pod asks for 8 google.com/tpu, and its nodes have 4; nearest: 4$"),
    ],
)
def test_a_slice_that_there_is_not_is_told_why(
    kube: Kube, selector: dict[str, str], chips: int, end: str
) -> None:
    kube.apply(compute_class())
    reason = reason_of(kube, tpu_pod(selector, chips))
    assert re.search(end, reason), reason


@pytest.mark.parametrize("version", ["1.34.1-gke.1829001", None])
def test_dranet_needs_a_newer_gke_on_autopilot_than_elsewhere_and_one_that_is_named(
    tmp_path: Path, version: str | None
) -> None:
    kube = autopilot_in(tmp_path, minMasterVersion=version)
    kube.apply(compute_class())
    reason = reason_of(kube, tpu_pod(CLASS))
    assert reason.endswith("older than dranet_autopilot needs; nearest: 1.35.2-gke.1842000")


@pytest.mark.parametrize(
    ("fields", "ending"),
    [
        ({"machineFamily": "ct6e"}, "MachineFamily and MachineType cannot be set together"),
        ({"flexStart": {"enabled": True}}, "incompatible with Spot"),
        ({"reservations": {"affinity": "Specific"}}, "required for specific affinity"),
        (
            {"reservations": {"affinity": "None", "specific": [{"name": "mine"}]}},
            "Unable to set specific reservations for non specific affinity",
        ),
        ({"machinType": V6E}, "machinType: unknown field, the nearest known one is machineType"),
    ],
)
def test_a_mistake_in_a_compute_class_is_refused_by_its_field(
    fields: dict[str, Any], ending: str
) -> None:
    with pytest.raises(KubeError, match=re.escape(ending) + "$"):
        MemoryKube({}, []).validate(compute_class(priority(**fields)))
