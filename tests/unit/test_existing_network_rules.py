"""Whether a network that exists already carries a stack."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.existing_facts import NetworkFacts
from stacks.parts.network.existing_rules import NetworkNeeds, network_advice, network_problems
from tests.unit.problem_lines import NETWORK_ID, lines, only

NETWORK = NetworkFacts(
    project="host",
    region="us-east1",
    name="shared",
    network_id=NETWORK_ID,
    subnetwork_name="nodes",
    subnetwork_id="projects/host/regions/us-east1/subnetworks/nodes",
    subnetwork_network_id=NETWORK_ID,
    nodes_range="10.0.0.0/20",
    secondary_ranges={"gke-pods": "10.8.0.0/16", "gke-services": "10.9.0.0/20"},
    private_google_access=True,
    nats=("nat",),
)
ON_NETWORK = NetworkNeeds(
    pods_range="gke-pods",
    services_range="gke-services",
    pools=((10, 110), (3, 32)),
    made={"control_plane": "10.10.4.0/28"},
)


def test_a_network_that_has_all_that_is_needed_has_no_problem() -> None:
    assert lines(network_problems(NETWORK, ON_NETWORK)) == []
    assert lines(network_advice(NETWORK, ON_NETWORK)) == []


@pytest.mark.parametrize(
    ("found", "needs", "line"),
    [
        (
            {"subnetwork_network_id": "projects/host/global/networks/other"},
            {},
            'network.existing.subnetwork: "nodes" is on the network other, not on shared; '
            "nearest: network other",
        ),
        (
            {"nodes_range": "10.0.0.0/29"},
            {},
            "network.existing.subnetwork: 10.0.0.0/29 is too small for 13 nodes; nearest: a /27",
        ),
        (
            {},
            {"pods_range": "pods"},
            'network.existing.pods_range: "pods" is not a secondary range of nodes; '
            "nearest: gke-pods",
        ),
        (
            {"secondary_ranges": {"gke-pods": "10.8.0.0/22", "gke-services": "10.9.0.0/20"}},
            {},
            "network.existing.pods_range: 10.8.0.0/22 is too small for the pods of 13 nodes, which "
            "take 2752 addresses; nearest: a /20",
        ),
        (
            {"secondary_ranges": {"gke-pods": "10.8.0.0/16", "gke-services": "10.9.0.0/28"}},
            {},
            "network.existing.services_range: 10.9.0.0/28 is too small for a cluster's services; "
            "nearest: 10.9.0.0/27",
        ),
        (
            {},
            {"services_range": "gke-pods"},
            'network.existing.services_range: "gke-pods" is the range of the pods, and services '
            "need another; nearest: gke-services",
        ),
        (
            {"secondary_ranges": {}},
            {"services_range": "gke-services"},
            'network.existing.pods_range: "gke-pods" is not a secondary range of nodes; '
            "nearest: a subnetwork with two secondary ranges",
        ),
        (
            {},
            {"made": {"control_plane": "10.8.4.0/28"}},
            "network.control_plane: 10.8.4.0/28 overlaps existing.gke-pods 10.8.0.0/16; "
            "nearest: 10.0.16.0/28",
        ),
        (
            {"private_google_access": False},
            {},
            'network.existing.subnetwork: "nodes" has no Private Google Access, without which '
            "private nodes reach no Google API; nearest: `gcloud compute networks subnets update "
            "nodes --region=us-east1 --project=host --enable-private-ip-google-access`",
        ),
    ],
)
def test_a_network_that_does_not_carry_the_stack_is_refused(
    found: dict[str, Any], needs: dict[str, Any], line: str
) -> None:
    problems = network_problems(replace(NETWORK, **found), replace(ON_NETWORK, **needs))
    assert line in lines(problems)


class TestNetworkAdvice:
    @pytest.mark.parametrize(
        ("mtu", "start"),
        [
            (None, "network.existing.mtu: not said, and the provider does not read it; "),
            (1460, "network.existing.mtu: with 1460 Managed Lustre is slower, by up to a tenth; "),
        ],
    )
    def test_a_small_or_unknown_mtu_is_slow_and_no_more(self, mtu: int | None, start: str) -> None:
        needs = replace(ON_NETWORK, mtu=mtu, jumbo_for="Managed Lustre")
        assert only(network_advice(NETWORK, needs)).startswith(start)
        assert lines(network_problems(NETWORK, needs)) == []

    def test_the_largest_mtu_is_as_good_as_none_that_matters(self) -> None:
        jumbo = replace(ON_NETWORK, mtu=8896, jumbo_for="Managed Lustre")
        assert lines(network_advice(NETWORK, jumbo)) == []
        assert lines(network_advice(NETWORK, replace(ON_NETWORK, mtu=1460))) == []

    @pytest.mark.parametrize(
        ("nats", "words"),
        [((), "has no Cloud NAT in us-east1"), (None, "its routers may not be listed in us-east1")],
    )
    def test_a_network_without_a_way_out_is_told(
        self, nats: tuple[str, ...] | None, words: str
    ) -> None:
        line = only(network_advice(replace(NETWORK, nats=nats), ON_NETWORK))
        assert line.startswith('network.existing.network: "shared" ')
        assert words in line
