"""Queued node pools: nodes come by a ProvisioningRequest, all at once.

It cannot prove when a real queue gives machines.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from components.network.node_network import interface_annotations
from kube.errors import KubeError
from sandbox.gke.nodes import nodes_of
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import asking, changed, cpu_node, gpu_nodes, make
from tests.unit.provisioning_samples import (
    TAINT,
    conditions,
    provisioned,
    queued_nodes,
    request,
    request_ref,
    template,
)
from tests.unit.simulated_project import APIS, Project

NETWORKS_API = "networking.gke.io/v1"


def test_a_request_without_its_template_is_not_accepted() -> None:
    kube = MemoryKube({}, queued_nodes())
    kube.apply(request())
    assert conditions(kube) == {"Accepted": ("False", "MissingPodTemplates")}
    kube.apply(template())
    assert conditions(kube) == {
        "Accepted": ("True", "SuccessfullyQueued"),
        "Provisioned": ("True", "Provisioned"),
    }


def test_there_is_no_queued_node_before_a_request_brings_it() -> None:
    kube = MemoryKube({}, [cpu_node(), *queued_nodes()])
    assert [node.name for node in kube.nodes()] == ["default-0"]
    kube.apply(template())
    kube.apply(request(pods=1))
    assert [node.name for node in kube.nodes()] == ["default-0", "a4-0"]


def test_all_pods_find_room_at_once_or_none_gets_a_node() -> None:
    kube = provisioned(queued_nodes(), pods=3)
    assert conditions(kube)["Provisioned"] == ("False", "NotProvisioned")
    health = kube.health(request_ref())
    assert not health.ready
    assert "1 of 3 pods have no place: 0/2 nodes are available" in health.reason
    assert kube.nodes() == []
    kube.set_nodes(queued_nodes(3))
    assert kube.health(request_ref()).ready
    assert len(kube.nodes()) == 3


def test_a_request_is_for_one_pool() -> None:
    kube = provisioned([*queued_nodes(1, "a"), *queued_nodes(1, "b")])
    assert conditions(kube)["Provisioned"] == ("False", "NotProvisioned")


def test_small_pods_share_their_nodes() -> None:
    kube = MemoryKube({}, queued_nodes(4))
    small = changed(template(), asking(gpu="4"), "template", "spec", "containers", 0, "resources")
    kube.apply(small)
    kube.apply(request(pods=4))
    assert len(kube.nodes()) == 2


def test_nodes_of_other_pools_do_not_count() -> None:
    kube = provisioned(gpu_nodes())
    assert conditions(kube)["Provisioned"] == ("False", "NoQueuedNodepoolAvailable")


def test_what_one_request_holds_another_waits_for() -> None:
    kube = provisioned(queued_nodes(3))
    kube.apply(request("more"))
    assert conditions(kube, "more")["Provisioned"] == ("False", "NotProvisioned")
    kube.delete(request_ref())
    assert kube.readiness(request_ref("more")).ready
    assert conditions(kube, "more")["Provisioned"] == ("True", "Provisioned")


def test_pulumi_waits_for_a_request_only_where_it_is_told_to() -> None:
    kube = provisioned(queued_nodes(), pods=3)
    assert kube.readiness(request_ref()).ready
    waiting = changed(
        request(pods=3),
        {"pulumi.com/waitFor": "condition=Provisioned"},
        "metadata",
        "annotations",
    )
    kube.apply(waiting)
    readiness = kube.readiness(request_ref())
    assert not readiness.ready
    assert "found False" in readiness.reason
    assert "NotProvisioned" in readiness.reason
    kube.set_nodes(queued_nodes(3))
    assert kube.readiness(request_ref()).ready


@pytest.mark.parametrize(("interfaces", "there"), [(1, True), (0, False)])
def test_interfaces_of_the_pods_are_asked_for_with_the_machines(
    interfaces: int, there: bool
) -> None:
    nodes = [replace(it, networks=(("rdma", "sub-0"),) * interfaces) for it in queued_nodes()]
    kube = MemoryKube({}, nodes)
    parameters = {"vpc": "rdma", "vpcSubnet": "sub-0", "deviceMode": "RDMA"}
    kube.apply(make("GKENetworkParamSet", "rdma-0", NETWORKS_API, spec=parameters))
    reference = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": "rdma-0"}
    network = {"type": "Device", "parametersRef": reference}
    kube.apply(make("Network", "rdma-0", NETWORKS_API, spec=network))
    annotations = interface_annotations([("eth1", "rdma-0")])
    kube.apply(changed(template(), {"annotations": annotations}, "template", "metadata"))
    kube.apply(request())
    health = kube.health(request_ref())
    assert health.ready == there
    assert there or "Insufficient networking.gke.io.networks/rdma-0" in health.reason


@pytest.mark.parametrize("queued", [True, False])
def test_gke_taints_the_nodes_of_queued_pools(tmp_path: Path, queued: bool) -> None:
    project = Project(tmp_path)
    project.enable(*APIS)
    network = project.network()
    region, zone = "us-central1", "us-central1-b"
    subnet = project.subnet(network, region=region)
    cluster = project.cluster(network, subnet, location=region, nodeLocations=[zone])
    affinity = {"consumeReservationType": "NO_RESERVATION"}
    machine = "a4-highgpu-8g"
    project.pool(
        cluster,
        machine,
        nodeConfig={"machineType": machine, "reservationAffinity": affinity},
        queuedProvisioning={"enabled": queued},
        autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 2},
        initialNodeCount=0,
    )
    nodes = nodes_of(cluster, project.cloud)
    assert len(nodes) == 2
    assert all((TAINT in node.taints) == queued for node in nodes)


def test_the_state_alone_says_which_nodes_are_there() -> None:
    state: dict[str, Any] = {}
    kube = MemoryKube(state, queued_nodes(3))
    kube.apply(template())
    kube.apply(request())
    assert MemoryKube(state, queued_nodes(3)).nodes() == kube.nodes()


def test_what_users_made_is_in_the_inventory() -> None:
    assert provisioned(queued_nodes()).inventory() == {
        "PodTemplate": ["default/workers"],
        "ProvisioningRequest": ["default/workers"],
    }


def test_a_request_that_is_gone_cannot_be_deleted_again() -> None:
    kube = provisioned(queued_nodes())
    kube.delete(request_ref())
    with pytest.raises(KubeError, match="ProvisioningRequest default/workers not found"):
        kube.delete(request_ref())
