"""The simulated cloud's rules for RoCE networks and firewalls; each refusal is matched at its
end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError
from tests.unit.simulated_project import (
    APIS,
    FIREWALL,
    NETWORK,
    ROUTER,
    SUBNET,
    Project,
)

PROFILE = "us-east1-b-vpc-roce"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS)
    return made


def firewall(project: Project, on: Resource, **inputs: Any) -> Resource:
    wanted = {
        "name": "internal",
        "network": on.id,
        "allows": [{"protocol": "tcp"}],
        "sourceRanges": ["10.0.0.0/8"],
    }
    return project.make(FIREWALL, **{**wanted, **inputs})


@pytest.mark.parametrize(
    "reference",
    [
        PROFILE,
        f"global/networkProfiles/{PROFILE}",
        f"projects/p1/global/networkProfiles/{PROFILE}",
        f"https://www.googleapis.com/compute/v1/projects/p1/global/networkProfiles/{PROFILE}",
    ],
)
def test_a_network_takes_its_zones_roce_profile_by_name_and_by_url(
    project: Project, reference: str
) -> None:
    assert project.roce_network(networkProfile=reference)["networkProfile"] == reference


@pytest.mark.parametrize(
    ("reference", "end"),
    [
        ("us-east1-c-vpc-roce", r"; nearest: us-east1-b, us-east4-b, us-east5-a$"),
        ("us-east1-b", r'"us-east1-b" is a zone; nearest: us-east1-b-vpc-roce$'),
        (
            "us-central1-c-vpc-falcon",
            r"interfaces is there; nearest: us-central1-a, us-central1-b, .*",
        ),
        ("us-nowhere1-b-vpc-roce", r'under "catalog.zones"$'),
    ],
)
def test_a_profile_that_does_not_exist_is_refused_with_the_nearest(
    project: Project, reference: str, end: str
) -> None:
    with pytest.raises(CloudError, match=end):
        project.roce_network(networkProfile=reference)


def test_a_roce_network_has_the_largest_mtu_asked_for_or_not(project: Project) -> None:
    project.roce_network(name="unset", mtu=None)
    made = project.roce_network()
    with pytest.raises(CloudError, match=r"profile us-east1-b-vpc-roce; nearest: 8896$"):
        project.cloud.update(NETWORK, made.id, {**made.inputs, "mtu": 1460})


@pytest.mark.parametrize("auto", [True, None])
def test_a_roce_network_makes_no_subnets_by_itself(project: Project, auto: bool | None) -> None:
    with pytest.raises(CloudError, match=r"nearest: autoCreateSubnetworks false$"):
        project.roce_network(autoCreateSubnetworks=auto)


def test_a_subnet_of_a_roce_network_is_in_the_region_of_its_zone(project: Project) -> None:
    rdma = project.roce_network()
    with pytest.raises(CloudError, match=r"is not in us-east4; nearest: us-east1$"):
        project.plain_subnet(rdma, "rdma-0", "192.168.0.0/24", region="us-east4")


def test_a_subnet_of_a_roce_network_has_no_secondary_ranges(project: Project) -> None:
    rdma = project.roce_network()
    subnet = project.plain_subnet(rdma, "rdma-0", "192.168.0.0/24")
    more = [{"rangeName": "pods", "ipCidrRange": "10.4.0.0/14"}]
    with pytest.raises(CloudError, match=r"does not support secondary ranges$"):
        project.subnet(rdma, name="rdma-1")
    with pytest.raises(CloudError, match=r"does not support secondary ranges$"):
        project.cloud.update(SUBNET, subnet.id, {**subnet.inputs, "secondaryIpRanges": more})


def test_a_roce_network_has_no_router_no_peering_and_no_cluster(project: Project) -> None:
    rdma = project.roce_network()
    with pytest.raises(CloudError, match=r"does not support Cloud Router$"):
        project.make(ROUTER, name="r", region="us-east1", network=rdma.id)
    with pytest.raises(CloudError, match=r"does not support VPC Network Peering$"):
        project.peer(rdma)
    with pytest.raises(CloudError, match=r"does not support clusters$"):
        project.cluster(rdma, project.plain_subnet(rdma, "rdma-0", "192.168.0.0/24"))


def test_an_ordinary_network_takes_a_firewall_rule_and_waits_for_its_end(project: Project) -> None:
    network = project.network()
    rule = firewall(project, network)
    assert rule.id == "projects/p1/global/firewalls/internal"
    with pytest.raises(CloudError, match=r"already being used by .*/firewalls/internal$"):
        project.delete(network)
    project.delete(rule)
    project.delete(network)


def test_a_roce_network_takes_no_firewall_rule(project: Project) -> None:
    with pytest.raises(CloudError, match=r"does not support firewall rules$"):
        firewall(project, project.roce_network())


@pytest.mark.parametrize(
    ("inputs", "end"),
    [
        ({"network": "nowhere"}, r'network "nowhere" was not found$'),
        ({"sourceRanges": ["10.0.0.0/33"]}, r"does not appear to be an IPv4 or IPv6 network$"),
        ({"destinationRanges": ["10.0.0.1/8"]}, r"has host bits set$"),
        ({"denies": [{"protocol": "udp"}]}, r"exactly one of allows and denies must be given$"),
        ({"allows": []}, r"exactly one of allows and denies must be given$"),
        ({"sourceRanges": []}, r"must be given for ingress$"),
    ],
)
def test_a_firewall_rule_that_says_nothing_sensible_is_refused(
    project: Project, inputs: dict[str, Any], end: str
) -> None:
    network = project.network()
    with pytest.raises(CloudError, match=end):
        firewall(project, network, **inputs)


def test_a_rule_for_egress_needs_no_source_and_one_for_ipv6_takes_its_ranges(
    project: Project,
) -> None:
    network = project.network()
    firewall(project, network, name="out", direction="EGRESS", sourceRanges=[])
    firewall(project, network, name="six", sourceRanges=["fd20::/20"])


def test_a_firewall_rule_is_checked_again_when_it_changes(project: Project) -> None:
    rule = firewall(project, project.network())
    with pytest.raises(CloudError, match=r"IPv4 or IPv6 network$"):
        project.cloud.update(FIREWALL, rule.id, {**rule.inputs, "sourceRanges": ["all"]})
