"""The node that the simulated Autopilot makes for a pod; each refusal is matched at its end."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kube.objects import Node
from sandbox.cloud.reservations import Reservation, Reservations
from sandbox.cloud.resource import Resource
from sandbox.clusters import Kube, in_memory
from sandbox.errors import CloudError
from sandbox.faults import Faults, Stockout
from tests.unit.memory_kube_samples import TOLERATION, asking, make, only_pod, pod, ref
from tests.unit.simulated_project import APIS, SUBNET, P, Project

A4 = "a4-highgpu-8g"
ZONE = "us-central1-b"
API = "networking.gke.io/v1"
GKE = "cloud.google.com"
GPU = {
    f"{GKE}/compute-class": "Performance",
    f"{GKE}/gke-accelerator": "nvidia-b200",
    f"{GKE}/gke-accelerator-count": "8",
    "topology.kubernetes.io/zone": ZONE,
}
SPOT = {**GPU, f"{GKE}/gke-spot": "true"}
HEAD = {f"{GKE}/compute-class": "Performance", f"{GKE}/machine-family": "c2"}
INTERFACES = ("gvnic-1", *(f"rdma-{number}" for number in range(8)))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_in(tmp_path)


def project_in(path: Path, **known: Any) -> Project:
    made = Project(path, **known)
    made.enable(*APIS)
    return made


def autopilot_in(project: Project) -> tuple[Resource, Kube]:
    """An Autopilot cluster with the Network objects of nine interfaces, and its API server."""
    net = project.network()
    subnet = project.subnet(net, region="us-central1")
    cluster = project.cluster(
        net,
        subnet,
        location="us-central1",
        nodeLocations=None,
        enableAutopilot=True,
        enableMultiNetworking=True,
    )
    gvnic = project.network(name="gvnic-net")
    profile = f"projects/{P}/global/networkProfiles/{ZONE}-vpc-roce"
    rdma = project.roce_network(name="rdma-net", networkProfile=profile)
    kube = in_memory(cluster, project.cloud)
    for number, name in enumerate(INTERFACES):
        vpc, mode = (rdma, "RDMA") if name.startswith("rdma") else (gvnic, "NetDevice")
        cidr = f"192.168.{number}.0/24"
        project.plain_subnet(vpc, f"{name}-sub", cidr, region="us-central1")
        where = {"vpc": vpc["name"], "vpcSubnet": f"{name}-sub", "deviceMode": mode}
        kube.apply(make("GKENetworkParamSet", name, API, spec=where))
        reference = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": name}
        kube.apply(make("Network", name, API, spec={"type": "Device", "parametersRef": reference}))
    return cluster, kube


def ask(selector: dict[str, str], *interfaces: str, **amounts: str) -> dict[str, Any]:
    """A pod that tolerates GPU nodes and asks for interfaces by their Network's names."""
    wanted = {"nodeSelector": selector, "tolerations": [TOLERATION]}
    made = pod(spec=wanted, resources=asking(**amounts))
    if interfaces:
        networks = enumerate(("default", *interfaces))
        listed = [{"interfaceName": f"eth{number}", "network": name} for number, name in networks]
        made["metadata"]["annotations"] = {
            "networking.gke.io/default-interface": "eth0",
            "networking.gke.io/interfaces": json.dumps(listed),
        }
    return made


def node_for(kube: Kube, wanted: dict[str, Any]) -> Node:
    kube.apply(wanted)
    running = only_pod(kube)
    assert running.phase == "Running", running.reason
    [node] = kube.nodes()
    return node


def reason_of(kube: Kube, wanted: dict[str, Any]) -> str:
    kube.apply(wanted)
    assert only_pod(kube).phase == "Pending"
    assert kube.nodes() == []
    return only_pod(kube).reason


WORKER = {"cpu": "220", "memory": "2800Gi", "gpu": "8", "ephemeral-storage": "1000Gi"}


def test_a_gpu_pod_gets_the_machine_with_its_gpus_and_all_interfaces(project: Project) -> None:
    _, kube = autopilot_in(project)
    node = node_for(kube, ask(SPOT, *INTERFACES, **WORKER))
    assert node.labels["node.kubernetes.io/instance-type"] == A4
    assert node.labels["topology.kubernetes.io/zone"] == ZONE
    assert node.labels[f"{GKE}/gke-spot"] == "true"
    assert node.labels[f"{GKE}/compute-class"] == "Performance"
    assert [subnet for _, subnet in node.networks] == [f"{name}-sub" for name in INTERFACES]
    assert [taint.key for taint in node.taints] == ["nvidia.com/gpu"]
    assert node.allocatable["nvidia.com/gpu"] == "8"


def test_a_nodes_networks_cannot_go_before_the_cluster(project: Project) -> None:
    cluster, kube = autopilot_in(project)
    used = next(it for it in project.cloud.find(SUBNET) if it["name"] == "rdma-0-sub")
    node_for(kube, ask(SPOT, *INTERFACES, **WORKER))
    kube.delete(ref("Pod", "p"))
    assert kube.nodes() == []
    with pytest.raises(CloudError, match=r"already being used by .*/clusters/c$"):
        project.delete(used)
    project.delete(cluster)
    project.delete(used)


def test_a_head_gets_the_smallest_machine_of_its_family_that_it_fits(project: Project) -> None:
    _, kube = autopilot_in(project)
    node = node_for(kube, ask(HEAD, cpu="12", memory="32Gi"))
    assert node.labels["node.kubernetes.io/instance-type"] == "c2-standard-16"
    assert node.labels[f"{GKE}/machine-family"] == "c2"
    assert node.networks == ()


def test_a_pod_that_asks_for_nothing_special_gets_an_ordinary_machine(project: Project) -> None:
    _, kube = autopilot_in(project)
    node = node_for(kube, ask({}, cpu="1", memory="1Gi"))
    assert node.labels[f"{GKE}/machine-family"] == "e2"
    assert node.labels["topology.kubernetes.io/zone"].startswith("us-central1-")


@pytest.mark.parametrize(
    ("selector", "amounts", "end"),
    [
        (
            {**SPOT, "topology.kubernetes.io/zone": "us-central1-f"},
            {"cpu": "1", "gpu": "8"},
            r'does not offer a4-highgpu-8g .* under "catalog.zones"$',
        ),
        (
            {**SPOT, "topology.kubernetes.io/zone": "us-east1-b"},
            {"cpu": "1", "gpu": "8"},
            r'zone "us-east1-b" has no nodes; nearest: us-central1-a, .*us-central1-f$',
        ),
        (
            {**SPOT, f"{GKE}/gke-accelerator": "nvidia-b300"},
            {"cpu": "1", "gpu": "8"},
            r"there is no machine type with 8 nvidia-b300$",
        ),
        (
            {**SPOT, f"{GKE}/gke-accelerator-count": "4"},
            {"cpu": "1", "gpu": "4"},
            r"there is no machine type with 4 nvidia-b200$",
        ),
        (
            SPOT,
            {**WORKER, "cpu": "224"},
            r"more than the largest machine with 8 nvidia-b200 has$",
        ),
        (
            SPOT,
            {**WORKER, "ephemeral-storage": "20000Gi"},
            r"more than the largest machine with 8 nvidia-b200 has$",
        ),
        (HEAD, {"cpu": "31"}, r"more than the largest machine with family c2 has$"),
    ],
)
def test_a_pod_that_no_machine_fits_is_told_why(
    project: Project, selector: dict[str, str], amounts: dict[str, str], end: str
) -> None:
    _, kube = autopilot_in(project)
    reason = reason_of(kube, ask(selector, **amounts))
    assert reason.startswith("Autopilot makes no node: ")
    assert re.search(end, reason), reason


def test_spot_machines_can_be_out_of_stock(tmp_path: Path) -> None:
    gone = Faults(rules=(Stockout(kind="stockout", machine_type=A4, zone=ZONE),))
    _, kube = autopilot_in(project_in(tmp_path, faults=gone))
    reason = reason_of(kube, ask(SPOT, *INTERFACES, **WORKER))
    assert reason.endswith(f"the zone {ZONE} does not have enough {A4} available")


def reserved(name: str = "mine", **parts: str) -> dict[str, str]:
    asked = {"affinity": "specific", "name": name, **parts}
    return {**GPU, **{f"{GKE}/reservation-{key}": value for key, value in asked.items()}}


def with_reservation(path: Path, **facts: Any) -> Project:
    mine = Reservation(
        **{
            "zone": ZONE,
            "machine_type": A4,
            "count": 1,
            "blocks": {"b": ("s",)},
            **facts,
        }
    )
    return project_in(path, reservations=Reservations(reservations={"mine": mine}))


@pytest.mark.parametrize(
    "parts", [{}, {"project": P}, {"blocks": "b"}, {"blocks": "b", "subblocks": "s"}]
)
def test_a_reservation_named_by_a_pod_gives_the_machine(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    _, kube = autopilot_in(with_reservation(tmp_path))
    node = node_for(kube, ask(reserved(**parts), *INTERFACES, **WORKER))
    assert node.labels[f"{GKE}/reservation-name"] == "mine"
    assert node.labels[f"{GKE}/reservation-affinity"] == "specific"


@pytest.mark.parametrize(
    ("facts", "selector", "end"),
    [
        ({}, reserved("other"), r'"other" was not found .*: projects/p1/reservations/mine; .*$'),
        ({}, reserved(blocks="c"), r'block "c" was not found .* which has: b$'),
        ({}, reserved(project="p2"), r"was not found in project p2; .*$"),
        ({"zone": "us-east1-b"}, reserved(), rf"the pool is in {ZONE}; nearest: .*us-east1-b\]$"),
        (
            {"machine_type": "a3-ultragpu-8g"},
            reserved(),
            r"nearest: machineType a3-ultragpu-8g$",
        ),
        ({}, {**reserved(), f"{GKE}/gke-spot": "true"}, r"consumeReservationType NO_RESERVATION$"),
    ],
)
def test_a_reservation_that_does_not_hold_the_machine_gives_none(
    tmp_path: Path, facts: dict[str, Any], selector: dict[str, str], end: str
) -> None:
    _, kube = autopilot_in(with_reservation(tmp_path, **facts))
    reason = reason_of(kube, ask(selector, *INTERFACES, **WORKER))
    assert re.search(end, reason), reason


def test_a_reservation_that_others_have_used_up_gives_none(tmp_path: Path) -> None:
    project = with_reservation(tmp_path)
    net = project.network(name="other")
    subnet = project.subnet(net, name="other", region="us-central1")
    standard = project.cluster(
        net, subnet, name="other", location="us-central1", nodeLocations=[ZONE]
    )
    affinity = {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["mine"],
    }
    project.pool(standard, A4, nodeConfig={"machineType": A4, "reservationAffinity": affinity})
    _, kube = autopilot_in(project)
    reason = reason_of(kube, ask(reserved(), *INTERFACES, **WORKER))
    assert re.search(r"required 1 and short of 1 VM count .*; nearest: 0$", reason), reason


def test_some_of_a_machines_interfaces_are_not_enough(project: Project) -> None:
    _, kube = autopilot_in(project)
    reason = reason_of(kube, ask(SPOT, *INTERFACES[:3], **WORKER))
    assert re.search(r"3 additional node networks do not fit a4-highgpu-8g; nearest: ", reason)


def test_a_network_that_is_missing_is_named_before_any_machine(project: Project) -> None:
    _, kube = autopilot_in(project)
    kube.delete(ref("Network", "rdma-7", namespace="", api_version=API))
    reason = reason_of(kube, ask(SPOT, *INTERFACES, **WORKER))
    assert reason.endswith('networks.networking.gke.io "rdma-7" not found')


def test_a_node_stays_the_same_when_the_api_server_is_asked_again(project: Project) -> None:
    cluster, kube = autopilot_in(project)
    node = node_for(kube, ask(SPOT, *INTERFACES, **WORKER))
    assert in_memory(cluster, project.cloud).nodes() == [node]
