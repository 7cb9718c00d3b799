"""The Kubernetes nodes that a simulated node pool brings."""

from __future__ import annotations

from typing import Any

import pytest

from components.base.taints import NodeTaintArgs, provider_effect, toleration
from kube.objects import Node
from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError
from sandbox.gke.nodes import nodes_of
from sandbox.kube.scheduler import admits
from tests.unit.simulated_project import Project

A4 = "a4-highgpu-8g"
ZONE = "us-central1-b"
NONE = {"consumeReservationType": "NO_RESERVATION"}
UP_TO_4 = {"totalMinNodeCount": 0, "totalMaxNodeCount": 4}


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


def test_gke_taints_gpu_nodes_only_where_there_are_others_when_their_pool_is_made(
    project: Project, cluster: Resource
) -> None:
    def taints(pool_name: str) -> list[str]:
        nodes = nodes_of(cluster, project.cloud)
        return [taint.key for node in nodes if node.pool == pool_name for taint in node.taints]

    pool(project, cluster, {"spot": True}, name="first")
    pool(project, cluster, {}, "e2-standard-4", name="plain")
    pool(project, cluster, {"spot": True}, name="second")
    given = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    pool(project, cluster, {"spot": True, "taints": [given]}, name="third")
    assert taints("first") == taints("plain") == []
    assert taints("second") == taints("third") == ["nvidia.com/gpu"]


@pytest.mark.parametrize(("machine", "count"), [(A4, 16), (A4, 0), ("g2-standard-24", 1)])
def test_a_machine_type_has_one_number_of_local_ssds(
    project: Project, cluster: Resource, machine: str, count: int
) -> None:
    with pytest.raises(CloudError, match="local SSDs"):
        pool(
            project, cluster, {"ephemeralStorageLocalSsdConfig": {"localSsdCount": count}}, machine
        )


def test_a_teams_nodes_carry_its_labels_and_taints_and_take_its_pods_alone(
    project: Project, cluster: Resource
) -> None:
    team = NodeTaintArgs(key="team", value="vision", effect="NoExecute")
    given = {"key": team.key, "value": team.value, "effect": provider_effect(team)}
    theirs = {"labels": {"team": "vision"}, "taints": [given]}
    pool(project, cluster, theirs, "e2-standard-4", name="theirs")
    pool(project, cluster, {}, "e2-standard-4", name="shared")
    selecting = {"nodeSelector": {"team": "vision"}}
    tolerating = {"tolerations": [toleration(team)]}

    def takers(spec: dict[str, Any]) -> set[str]:
        return {node.pool for node in nodes_of(cluster, project.cloud) if admits(spec, node)}

    assert takers({}) == {"shared"}
    assert takers(tolerating) == {"shared", "theirs"}
    assert takers(selecting) == set()
    assert takers({**selecting, **tolerating}) == {"theirs"}


@pytest.mark.parametrize(
    ("driver", "gpus"), [("INSTALLATION_DISABLED", None), ("LATEST", "8"), (None, "8")]
)
def test_a_node_without_a_driver_has_no_gpus(
    project: Project, cluster: Resource, driver: str | None, gpus: str | None
) -> None:
    installed = (
        {} if driver is None else {"gpuDriverInstallationConfig": {"gpuDriverVersion": driver}}
    )
    accelerators = [{"type": "nvidia-b200", "count": 8, **installed}]
    pool(project, cluster, {"guestAccelerators": accelerators})
    assert node_of(project, cluster).allocatable.get("nvidia.com/gpu") == gpus


def test_nodes_without_gkes_plug_in_have_the_gpus_of_nvidias_operator(
    project: Project, cluster: Resource
) -> None:
    off = {"gpuDriverInstallationConfig": {"gpuDriverVersion": "INSTALLATION_DISABLED"}}
    accelerators = [{"type": "nvidia-b200", "count": 8, **off}]
    labels = {"gke-no-default-nvidia-gpu-device-plugin": "true"}
    pool(project, cluster, {"guestAccelerators": accelerators, "labels": labels})
    assert node_of(project, cluster).allocatable["nvidia.com/gpu"] == "8"
