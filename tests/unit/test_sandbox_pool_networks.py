"""The simulated cloud's rules for the additional networks of node pools; what they refuse
stands in cloud_refusals.yaml."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError
from sandbox.gke.nodes import nodes_of
from tests.unit.simulated_project import NETWORK, SUBNET, Project

MULTI = {"enableMultiNetworking": True, "datapathProvider": "ADVANCED_DATAPATH"}
A4 = "a4-highgpu-8g"


def cluster_of(project: Project, **inputs: Any) -> Resource:
    network = project.network()
    return project.cluster(network, project.subnet(network), **{**MULTI, **inputs})


def networks_of_an_a4(project: Project, prefix: int = 24) -> list[dict[str, str]]:
    """One gVNIC network and eight subnets of a RoCE network, in the machine's order."""
    gvnic, rdma = project.network(name="gvnic"), project.roce_network()
    places = [(gvnic, project.plain_subnet(gvnic, "gvnic-1", f"10.20.0.0/{prefix}"))]
    for number in range(8):
        cidr = f"192.168.{number}.0/{prefix}"
        places.append((rdma, project.plain_subnet(rdma, f"rdma-{number}", cidr)))
    return [{"network": net.id, "subnetwork": subnet.id} for net, subnet in places]


def a4_pool(
    project: Project, cluster: Resource, networks: list[dict[str, str]], **inputs: Any
) -> Resource:
    config = {"additionalNodeNetworkConfigs": networks}
    return project.pool(cluster, A4, **{"networkConfig": config, **inputs})


def test_a_pool_takes_all_interfaces_of_its_machine_and_its_nodes_know_them(
    project: Project,
) -> None:
    cluster = cluster_of(project)
    a4_pool(project, cluster, networks_of_an_a4(project))
    [node] = nodes_of(cluster, project.cloud)
    expected = [("gvnic", "gvnic-1"), *(("rdma", f"rdma-{number}") for number in range(8))]
    assert list(node.networks) == expected


def test_a_pool_may_leave_all_additional_interfaces_out(project: Project) -> None:
    cluster = cluster_of(project)
    project.pool(cluster, A4)
    assert nodes_of(cluster, project.cloud)[0].networks == ()


def test_networks_and_subnetworks_of_a_pool_cannot_go_before_it(project: Project) -> None:
    cluster = cluster_of(project)
    networks = networks_of_an_a4(project)
    pool = a4_pool(project, cluster, networks)
    subnets = [project.cloud.require(SUBNET, it["subnetwork"], "subnet") for it in networks]
    rdma = project.cloud.require(NETWORK, "rdma", "network")
    with pytest.raises(CloudError, match=r"already being used by .*/nodePools/pool$"):
        project.delete(subnets[1])
    for subnet in subnets:
        project.cloud.drop(subnet)
    with pytest.raises(CloudError, match=r"already being used by .*/nodePools/pool$"):
        project.delete(rdma)
    project.delete(pool)
    project.delete(rdma)


# Networks that GKE makes


DRANET = {"cloud.google.com/gke-networking-dra-driver": "true"}
PROFILE = {"acceleratorNetworkProfile": "auto"}


def managed_pool(project: Project, cluster: Resource, **network: Any) -> Resource:
    machine = {"machineType": A4, "spot": True, "labels": DRANET}
    return project.pool(
        cluster, A4, name="managed", nodeConfig=machine, networkConfig={**PROFILE, **network}
    )


def test_gke_makes_the_networks_of_all_interfaces_which_pods_claim(project: Project) -> None:
    cluster = cluster_of(project, enableMultiNetworking=None)
    managed_pool(project, cluster)
    [node] = nodes_of(cluster, project.cloud)
    assert node.networks == ()
    assert node.devices == {"mrdma.google.com": 8, "netdev.google.com": 1}
