"""The simulated cloud's rules for H4D, whose RDMA interface is in a Falcon network."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError
from sandbox.gke.nodes import nodes_of
from tests.unit.simulated_project import Project

PLACE: dict[str, Any] = {"location": "us-central1-a", "nodeLocations": ["us-central1-a"]}


@pytest.fixture
def cluster(project: Project) -> Resource:
    network = project.network()
    subnet = project.subnet(network, region="us-central1")
    multi = {"enableMultiNetworking": True, "datapathProvider": "ADVANCED_DATAPATH"}
    return project.cluster(network, subnet, **multi, **PLACE)


def network_of(project: Project, profile: str) -> list[dict[str, str]]:
    made = project.roce_network(name="further", networkProfile=profile)
    subnet = project.plain_subnet(made, "irdma-0", "192.168.0.0/24", region="us-central1")
    return [{"network": made.id, "subnetwork": subnet.id}]


def pool(project: Project, cluster: Resource, networks: list[dict[str, str]]) -> Resource:
    config = {"additionalNodeNetworkConfigs": networks}
    return project.pool(cluster, "h4d-standard-192", networkConfig=config, **PLACE)


def test_its_interface_is_in_the_falcon_network_of_its_zone(
    project: Project, cluster: Resource
) -> None:
    pool(project, cluster, network_of(project, "global/networkProfiles/us-central1-a-vpc-falcon"))
    assert nodes_of(cluster, project.cloud)[0].networks == (("further", "irdma-0"),)


@pytest.mark.parametrize(
    ("profile", "end"),
    [
        (
            "us-central1-b-vpc-roce",
            r"with a Falcon network profile; further has a RoCE .* profile$",
        ),
        ("us-central1-b-vpc-falcon", r"pool is in us-central1-a; nearest: nodeLocations .*-b\]$"),
    ],
)
def test_another_network_is_refused(
    project: Project, cluster: Resource, profile: str, end: str
) -> None:
    with pytest.raises(CloudError, match=end):
        pool(project, cluster, network_of(project, profile))
