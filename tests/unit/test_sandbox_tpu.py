"""The simulated cloud's rules for node pools with TPUs, and the nodes that they bring; each refusal
is matched at its end."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog
from kube.objects import Node
from sandbox.cloud.resource import Resource
from sandbox.clusters import in_memory
from sandbox.errors import CloudError
from sandbox.gke.nodes import nodes_of
from tests.unit.memory_kube_samples import changed
from tests.unit.simulated_project import Project
from tests.unit.test_memory_kube_claims import claiming, template
from tests.unit.test_memory_kube_multi_host import tpu_cluster

V6E = "ct6e-standard-4t"
ZONE = "us-central1-b"
GKE = "cloud.google.com"
DRANET = {f"{GKE}/gke-networking-dra-driver": "true"}
SLICE = {"type": "COMPACT", "tpuTopology": "4x4"}
TOO_OLD = "1.34.1-gke.1829000"


def cluster_of(project: Project, **inputs: Any) -> Resource:
    network = project.network()
    subnet = project.subnet(network, region="us-central1")
    wanted = {
        "location": ZONE,
        "nodeLocations": None,
        "datapathProvider": "ADVANCED_DATAPATH",
        **inputs,
    }
    return project.cluster(network, subnet, **wanted)


@pytest.fixture
def cluster(project: Project) -> Resource:
    return cluster_of(project)


def tpu_pool(
    project: Project,
    cluster: Resource,
    machine: str = V6E,
    node: dict[str, Any] | None = None,
    **inputs: Any,
) -> Resource:
    """A slice of 4x4 hosts, unless `inputs` say otherwise."""
    wanted = {"initialNodeCount": None, "nodeCount": 4, "placementPolicy": SLICE}
    config = {"machineType": machine, **(node or {})}
    return project.pool(cluster, machine, nodeConfig=config, **{**wanted, **inputs})


def networks(project: Project, count: int) -> dict[str, Any]:
    """That many networks with a subnetwork each, as a pool's network config."""
    configs: list[dict[str, str]] = []
    for number in range(1, count + 1):
        network = project.network(name=f"net-{number}")
        subnet = project.plain_subnet(
            network, f"tpu-{number}", f"10.{50 + number}.0.0/24", region="us-central1"
        )
        configs.append({"network": network.id, "subnetwork": subnet.id})
    return {"additionalNodeNetworkConfigs": configs}


def a_node(project: Project, cluster: Resource) -> Node:
    return nodes_of(cluster, project.cloud)[0]


def test_a_slice_of_several_hosts_brings_a_node_for_each(
    project: Project, cluster: Resource
) -> None:
    metadata = {"workloadMetadataConfig": {"mode": "GKE_METADATA"}}
    tpu_pool(project, cluster, node=metadata)
    nodes = nodes_of(cluster, project.cloud)
    assert len(nodes) == 4
    expected = {
        f"{GKE}/gke-tpu-accelerator": "tpu-v6e-slice",
        f"{GKE}/gke-tpu-topology": "4x4",
        f"{GKE}/gke-accelerator-count": "4",
        "iam.gke.io/gke-metadata-server-enabled": "true",
    }
    assert expected.items() <= nodes[0].labels.items()
    assert f"{GKE}/gke-accelerator" not in nodes[0].labels
    [taint] = nodes[0].taints
    assert (taint.key, taint.value, taint.effect) == ("google.com/tpu", "present", "NoSchedule")
    assert nodes[0].allocatable["google.com/tpu"] == "4"


def test_a_node_that_is_a_slice_by_itself_is_labelled_with_its_topology(
    project: Project, cluster: Resource
) -> None:
    tpu_pool(project, cluster, nodeCount=3, placementPolicy=None)
    nodes = nodes_of(cluster, project.cloud)
    assert [node.labels[f"{GKE}/gke-tpu-topology"] for node in nodes] == ["2x2"] * 3
    assert "iam.gke.io/gke-metadata-server-enabled" not in nodes[0].labels


@pytest.mark.parametrize("low", [0, 4])
def test_a_slice_may_be_scaled_between_nothing_and_all_of_it(
    project: Project, cluster: Resource, low: int
) -> None:
    auto = {"minNodeCount": low, "maxNodeCount": 4, "locationPolicy": "ANY"}
    tpu_pool(project, cluster, nodeCount=None, autoscaling=auto)
    assert len(nodes_of(cluster, project.cloud)) == 4


def test_a_queued_slice_may_be_compact_though_queued_gpus_may_not(
    project: Project, cluster: Resource
) -> None:
    node = {"flexStart": True, "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}}
    queued = {
        "nodeCount": None,
        "initialNodeCount": 0,
        "queuedProvisioning": {"enabled": True},
        "autoscaling": {"minNodeCount": 0, "maxNodeCount": 4},
    }
    tpu_pool(project, cluster, node=node, **queued)
    with pytest.raises(CloudError, match=r"does not go with placementPolicy COMPACT; .*$"):
        tpu_pool(
            project,
            cluster,
            "a4-highgpu-8g",
            node,
            name="gpu",
            **queued,
            placementPolicy={"type": "COMPACT"},
        )


def test_one_thread_a_core_leaves_pods_about_half_the_cpu(
    project: Project, cluster: Resource
) -> None:
    tpu_pool(project, cluster)
    single = {"advancedMachineFeatures": {"threadsPerCore": 1}}
    tpu_pool(project, cluster, node=single, name="single")
    both, one = (
        int(node.allocatable["cpu"].removesuffix("m"))
        for node in nodes_of(cluster, project.cloud)[::4]
    )
    assert 180_000 - both < 1500
    assert 90_000 - one < 1500


def test_dranet_gives_nodes_a_device_for_each_network_without_multi_networking(
    project: Project, cluster: Resource
) -> None:
    tpu_pool(project, cluster, node={"labels": DRANET}, networkConfig=networks(project, 2))
    node = a_node(project, cluster)
    assert node.devices == {"netdev.google.com": 2}
    assert len(node.networks) == 2


def test_a_tpu_machine_may_leave_some_of_its_interfaces_out(
    project: Project, cluster: Resource
) -> None:
    tpu_pool(project, cluster, node={"labels": DRANET}, networkConfig=networks(project, 1))
    assert a_node(project, cluster).devices == {"netdev.google.com": 1}


def test_more_networks_than_interfaces_are_refused(project: Project, cluster: Resource) -> None:
    with pytest.raises(CloudError, match=r"3 additional .* do not fit .*; nearest: 2: 2 gvnic.*$"):
        tpu_pool(project, cluster, node={"labels": DRANET}, networkConfig=networks(project, 3))


def test_without_dranet_networks_are_no_devices_and_need_multi_networking(
    project: Project, cluster: Resource
) -> None:
    config = networks(project, 2)
    with pytest.raises(CloudError, match=r"nearest: enableMultiNetworking true .*$"):
        tpu_pool(project, cluster, networkConfig=config)
    tpu_pool(project, cluster)
    assert a_node(project, cluster).devices == {}


@pytest.mark.parametrize(
    ("inputs", "end"),
    [
        ({"datapathProvider": None}, r"nearest: datapathProvider ADVANCED_DATAPATH$"),
        ({"minMasterVersion": TOO_OLD}, r"older than dranet needs; nearest: 1.34.1-gke.1829001$"),
    ],
)
def test_dranet_needs_a_cluster_that_has_it(
    project: Project, inputs: dict[str, Any], end: str
) -> None:
    old = cluster_of(project, **inputs)
    with pytest.raises(CloudError, match=end):
        tpu_pool(project, old, node={"labels": DRANET})


def test_dranet_needs_a_machine_with_interfaces(project: Project) -> None:
    cluster = cluster_of(project, location="us-central1-a")
    with pytest.raises(
        CloudError, match=r"ct5lp-hightpu-4t has no interfaces .*: ct6e-.*-8t, tpu7x-standard-4t$"
    ):
        tpu_pool(project, cluster, "ct5lp-hightpu-4t", {"labels": DRANET})


@pytest.mark.parametrize(
    ("machine", "count"), [("ct6e-standard-1t", 1), (V6E, 2), ("ct6e-standard-8t", 4)]
)
def test_the_interfaces_of_tpu_machines_are_those_that_gke_knows(machine: str, count: int) -> None:
    assert len(Catalog.load().machine(machine).additional_interfaces) == count


def test_a_ray_cluster_runs_on_two_slices_and_claims_their_networks(
    project: Project, cluster: Resource
) -> None:
    single = {"advancedMachineFeatures": {"threadsPerCore": 1}, "labels": DRANET}
    config = networks(project, 2)
    project.pool(cluster, "n1-standard-16", name="cpu")
    for number in range(2):
        name = f"slice-{number}"
        tpu_pool(project, cluster, node=single, name=name, networkConfig=config)
    kube = in_memory(cluster, project.cloud)
    kube.apply(template())
    at = ("spec", "workerGroupSpecs", 0, "template", "spec")
    claimed = changed(tpu_cluster(), claiming()["spec"]["resourceClaims"], *at, "resourceClaims")
    claims = claiming()["spec"]["containers"][0]["resources"]["claims"]
    kube.apply(changed(claimed, claims, *at, "containers", 0, "resources", "claims"))
    pools = {node.name: node.pool for node in kube.nodes()}
    used = [pools[each.node] for each in kube.pods()]
    assert {pool: used.count(pool) for pool in used} == {"cpu": 1, "slice-0": 4, "slice-1": 4}
