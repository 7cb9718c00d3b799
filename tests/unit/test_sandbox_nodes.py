"""The Kubernetes nodes that a simulated node pool brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.cloud.kind import Resource
from sandbox.cloud.nodes import nodes_of
from sandbox.kube import Node
from tests.unit.simulated_project import APIS, Project

A4 = "a4-highgpu-8g"
ZONE = "us-central1-b"
NONE = {"consumeReservationType": "NO_RESERVATION"}
UP_TO_4 = {"totalMinNodeCount": 0, "totalMaxNodeCount": 4}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS)
    return made


@pytest.fixture
def cluster(project: Project) -> Resource:
    network = project.network()
    subnet = project.subnet(network, region="us-central1")
    return project.cluster(network, subnet, location="us-central1", nodeLocations=[ZONE])


def pool(
    project: Project, cluster: Resource, node: dict[str, Any], machine: str = A4, **inputs: Any
) -> Resource:
    return project.pool(cluster, machine, nodeConfig={"machineType": machine, **node}, **inputs)


def node_of(project: Project, cluster: Resource) -> Node:
    return nodes_of(cluster, project.cloud)[0]


def test_flex_start_nodes_say_so(project: Project, cluster: Resource) -> None:
    node = {"flexStart": True, "maxRunDuration": "604800s", "reservationAffinity": NONE}
    pool(project, cluster, node, autoscaling=UP_TO_4)
    labels = node_of(project, cluster).labels
    assert labels["cloud.google.com/gke-flex-start"] == "true"
    assert "cloud.google.com/gke-queued" not in labels


def test_queued_nodes_say_so_and_come_as_autoscaled_ones_do(
    project: Project, cluster: Resource
) -> None:
    pool(
        project,
        cluster,
        {"reservationAffinity": NONE},
        queuedProvisioning={"enabled": True},
        autoscaling=UP_TO_4,
        initialNodeCount=0,
    )
    nodes = nodes_of(cluster, project.cloud)
    assert len(nodes) == 4
    assert nodes[0].labels["cloud.google.com/gke-queued"] == "true"


def test_a_gpu_node_has_the_labels_that_gke_gives_it(project: Project, cluster: Resource) -> None:
    pool(project, cluster, {"labels": {"team": "rl"}, "spot": True})
    node = node_of(project, cluster)
    assert node.labels == {
        "team": "rl",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": node.name,
        "kubernetes.io/os": "linux",
        "cloud.google.com/gke-accelerator": "nvidia-b200",
        "cloud.google.com/gke-accelerator-count": "8",
        "cloud.google.com/gke-nodepool": "pool",
        "cloud.google.com/gke-spot": "true",
        "cloud.google.com/machine-family": "a4",
        "node.kubernetes.io/instance-type": A4,
        "topology.kubernetes.io/region": "us-central1",
        "topology.kubernetes.io/zone": ZONE,
    }
    assert [taint.key for taint in node.taints] == ["nvidia.com/gpu"]


def test_a_larger_boot_disk_leaves_pods_more_ephemeral_storage(
    project: Project, cluster: Resource
) -> None:
    pool(project, cluster, {}, "e2-standard-4")
    pool(project, cluster, {"diskSizeGb": 500}, "e2-standard-4", name="large")
    small, large = (
        int(node.allocatable["ephemeral-storage"].removesuffix("Mi"))
        for node in nodes_of(cluster, project.cloud)
    )
    assert small < large
