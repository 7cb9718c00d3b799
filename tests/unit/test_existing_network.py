"""A network that exists already, as a program reads it through the provider's functions.

Cannot prove that the real provider answers so: the sandbox's stand-in does it in its place.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pulumi
import pytest

from components.network.existing import ExistingNetworkArgs, existing_network
from tests.unit.existing_parts import REGION, EngineError, Reader, values
from tests.unit.simulated_project import NAT, ROUTER, SERVICE, P, Project

HOST = "host-project"
NETWORK_ARGS = ExistingNetworkArgs(project=P, region=REGION, network="net", subnetwork="nodes")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable("compute")
    return made


@pytest.fixture
def reader(project: Project) -> Reader:
    return Reader(project)


def test_its_ids_ranges_and_nats_are_read(project: Project, reader: Reader) -> None:
    made = project.network()
    subnet = project.subnet(made, privateIpGoogleAccess=True)
    project.make(ROUTER, name="r", region=REGION, network=made.id)
    project.make(NAT, name="n", region=REGION, router="r")
    found = reader.run(partial(existing_network, NETWORK_ARGS)).found
    assert (found.network_id, found.subnetwork_id) == (made.id, subnet.id)
    assert found.subnetwork_network_id == made.id
    assert found.nodes_range == "10.0.0.0/20"
    assert found.secondary_ranges == {"pods": "10.4.0.0/14"}
    assert found.private_google_access
    assert found.nats == ("n",)


def test_it_hands_out_what_a_made_one_does(project: Project, reader: Reader) -> None:
    made = project.network()
    subnet = project.subnet(made)
    names = ("network_id", "network_name", "subnetwork_id")
    assert reader.run(
        lambda provider: values(existing_network(NETWORK_ARGS, provider), *names)
    ) == [made.id, "net", subnet.id]


def test_a_nat_of_another_network_is_not_its_own(project: Project, reader: Reader) -> None:
    project.subnet(project.network())
    other = project.network(name="other")
    project.make(ROUTER, name="r", region=REGION, network=other.id)
    project.make(NAT, name="n", region=REGION, router="r")
    assert reader.run(partial(existing_network, NETWORK_ARGS)).found.nats == ()


def test_nats_that_may_not_be_seen_are_not_known(
    project: Project, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.subnet(project.network())
    refuse_routers(reader, monkeypatch)
    assert reader.run(partial(existing_network, NETWORK_ARGS)).found.nats is None


def test_a_shared_vpcs_network_is_its_host_projects(project: Project, reader: Reader) -> None:
    project.make(SERVICE, project=HOST, service="compute.googleapis.com")
    made = project.network(project=HOST)
    project.subnet(made, project=HOST)
    args = ExistingNetworkArgs(project=HOST, region=REGION, network="net", subnetwork="nodes")
    found = reader.run(partial(existing_network, args)).found
    assert found.network_id == f"projects/{HOST}/global/networks/net"
    assert found.subnetwork_id.startswith(f"projects/{HOST}/")


def refuse_routers(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = reader.call

    def call(args: pulumi.runtime.MockCallArgs) -> Any:
        if args.token.endswith(":getRouters"):
            raise EngineError("googleapi: Error 403: Required 'compute.routers.list' permission")
        return answer(args)

    monkeypatch.setattr(reader, "call", call)
