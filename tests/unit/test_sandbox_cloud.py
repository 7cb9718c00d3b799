"""The simulated cloud's rules for APIs, networks and Lustre; each refusal is matched at its end."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from catalog import Catalog
from sandbox.cloud.kinds.cluster import hosts_of
from sandbox.cloud_store import cloud_at
from sandbox.errors import CloudError
from tests.unit.simulated_project import (
    ADDRESS,
    APIS,
    BUCKET,
    CLUSTER,
    LUSTRE,
    NAT,
    NETWORK,
    POOL,
    ROUTER,
    SERVICE,
    SUBNET,
    P,
    Project,
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS)
    return made


def test_nothing_can_be_made_while_its_api_is_off(tmp_path: Path) -> None:
    with pytest.raises(CloudError, match=r"not enabled in project p1; enable it first$"):
        Project(tmp_path).network()


def test_an_api_stays_on_after_its_resource_is_gone(project: Project) -> None:
    service = next(project.cloud.find(SERVICE))
    project.delete(service)
    assert project.cloud.api_is_on(P, service["service"])


def test_a_taken_name_is_refused(project: Project) -> None:
    project.network()
    with pytest.raises(CloudError, match=r"already exists$"):
        project.network()


def test_an_mtu_beyond_jumbo_frames_is_refused(project: Project) -> None:
    with pytest.raises(CloudError, match=r"not from 1300 to 8896$"):
        project.make(NETWORK, name="net", mtu=9000)


@pytest.mark.parametrize("name", ["Net", "1net", "net_", "n" * 64])
def test_a_name_that_compute_does_not_take_is_refused(project: Project, name: str) -> None:
    with pytest.raises(CloudError, match=r"label of at most 63 letters$"):
        project.make(NETWORK, name=name)


def test_ranges_of_one_network_cannot_overlap(project: Project) -> None:
    network = project.network()
    project.subnet(network)
    with pytest.raises(CloudError, match=r"overlaps with 10.4.0.0/14 of nodes/pods$"):
        project.subnet(network, name="more", ipCidrRange="10.5.0.0/24", secondaryIpRanges=[])


def test_a_peering_range_cannot_overlap_with_a_subnet(project: Project) -> None:
    network = project.network()
    project.subnet(network, ipCidrRange="10.10.0.0/20")
    with pytest.raises(CloudError, match=r"overlaps with 10.10.0.0/20 of nodes/primary$"):
        project.peer(network)


def test_a_network_in_use_cannot_go(project: Project) -> None:
    network = project.network()
    project.subnet(network)
    with pytest.raises(CloudError, match=r"is already being used by .*/subnetworks/nodes$"):
        project.delete(network)


def test_lustre_needs_the_peering(project: Project) -> None:
    with pytest.raises(CloudError, match=r"has no private services access connection$"):
        project.lustre(project.network())


def test_lustre_takes_an_address_of_the_peering_range(project: Project) -> None:
    network = project.network()
    project.peer(network)
    assert project.lustre(network).outputs["mountPoint"] == "10.10.0.2@tcp:/lustre"


@pytest.mark.parametrize(
    ("ports", "ending"),
    [
        (
            {"enableDynamicPortAllocation": True, "enableEndpointIndependentMapping": True},
            r"nearest: enableEndpointIndependentMapping false$",
        ),
        ({"maxPortsPerVm": 1024}, r"needs enableDynamicPortAllocation; nearest: true$"),
        (
            {"enableDynamicPortAllocation": True, "minPortsPerVm": 1000},
            r"^INVALID_ARGUMENT: minPortsPerVm 1000 is no power of two from 32 on$",
        ),
        (
            {
                "enableDynamicPortAllocation": True,
                "minPortsPerVm": 1024,
                "maxPortsPerVm": 1024,
            },
            r"1024 is no power of two above 1024 and up to 65536$",
        ),
    ],
)
def test_ports_that_a_nat_cannot_give_are_refused(
    project: Project, ports: dict[str, Any], ending: str
) -> None:
    router = project.make(ROUTER, name="router", region="us-east1", network=project.network().id)
    wanted = {"name": "nat", "router": router["name"], "region": "us-east1"}
    with pytest.raises(CloudError, match=ending):
        project.make(NAT, **wanted, **ports)
    assert project.make(NAT, **wanted, enableDynamicPortAllocation=True, maxPortsPerVm=65536)


def test_each_lustre_instance_takes_a_block_of_the_peering_range_of_its_own(
    project: Project,
) -> None:
    network = project.network()
    project.peer(network, prefix_length=22)
    first, second = (project.lustre(network, instanceId=name) for name in ("first", "second"))
    assert second.outputs["mountPoint"] == "10.10.2.2@tcp:/lustre"
    with pytest.raises(CloudError, match=r"services of \S+/net has no free /23; nearest: "):
        project.lustre(network, instanceId="third")
    project.delete(first)
    assert (
        project.lustre(network, instanceId="third").outputs["mountPoint"]
        == (first.outputs["mountPoint"])
    )
    grown = project.cloud.update(LUSTRE, second.id, {**second.inputs, "capacityGib": "18000"})
    assert grown.outputs["mountPoint"] == second.outputs["mountPoint"]


def test_a_peering_range_of_the_old_size_holds_no_lustre_instance(project: Project) -> None:
    network = project.network()
    project.peer(network, prefix_length=24)
    with pytest.raises(CloudError, match=r"Couldn't find free blocks in allocated IP ranges"):
        project.lustre(network)


def test_lustre_capacity_off_its_step_is_refused(project: Project) -> None:
    network = project.network()
    project.peer(network)
    with pytest.raises(CloudError, match=r"nearest: 9000, 18000$"):
        project.lustre(network, capacityGib="10000")


def test_lustre_cannot_shrink(project: Project) -> None:
    network = project.network()
    project.peer(network)
    instance = project.lustre(network, capacityGib="18000")
    with pytest.raises(CloudError, match=r"18000"):
        project.cloud.update(LUSTRE, instance.id, {**instance.inputs, "capacityGib": "9000"})


def test_a_producer_holds_the_peering_after_its_last_instance_is_gone(project: Project) -> None:
    network = project.network()
    connection = project.peer(network)
    project.delete(project.lustre(network))
    with pytest.raises(CloudError, match=r"services are still using this connection$"):
        project.delete(connection)


def test_a_removed_peering_lets_the_network_go_whatever_its_producers_hold(
    project: Project,
) -> None:
    network = project.network()
    connection = project.peer(network, deletionPolicy="REMOVE_PEERING")
    address = next(project.cloud.find(ADDRESS))
    for resource in (project.lustre(network), connection, address, network):
        project.delete(resource)
    assert set(project.cloud.inventory()) == {SERVICE}


def test_an_abandoned_peering_stays_in_the_networks_way(project: Project) -> None:
    network = project.network()
    project.delete(project.peer(network, deletionPolicy="ABANDON"))
    project.delete(next(project.cloud.find(ADDRESS)))
    with pytest.raises(CloudError, match=r"by peering servicenetworking-googleapis-com$"):
        project.delete(network)


def test_an_api_that_two_stacks_enable_is_let_go_by_the_last(project: Project) -> None:
    first, second = (f"urn:pulumi:{stack}::p::t::x" for stack in ("one", "two"))
    inputs = {"project": P, "service": "storage.googleapis.com"}
    for urn in (first, second):
        made = project.cloud.finish_create(project.cloud.begin_create(SERVICE, inputs, urn))
    project.cloud.finish_delete(made, first)
    assert project.cloud.get(made.id) is not None
    project.cloud.finish_delete(made, second)
    assert project.cloud.get(made.id) is None


def test_an_api_that_is_enabled_again_because_no_answer_was_heard_goes_with_its_one_resource(
    project: Project,
) -> None:
    inputs, urn = {"project": P, "service": "storage.googleapis.com"}, "urn:pulumi:one::p::t::x"
    project.cloud.finish_create(project.cloud.begin_create(SERVICE, inputs, urn))
    made = project.cloud.finish_create(project.cloud.begin_create(SERVICE, inputs, urn))
    project.cloud.finish_delete(made, urn)
    assert project.cloud.get(made.id) is None


def test_a_secondary_range_that_a_cluster_uses_cannot_change(project: Project) -> None:
    network = project.network()
    subnet = project.subnet(network)
    project.cluster(network, subnet)
    other = [{"rangeName": "pods", "ipCidrRange": "10.8.0.0/14"}]
    with pytest.raises(CloudError, match=r"is already being used by .*/clusters/c$"):
        project.cloud.update(SUBNET, subnet.id, {**subnet.inputs, "secondaryIpRanges": other})


def test_what_was_made_is_there_for_the_next_command(project: Project) -> None:
    network = project.network()
    again = cloud_at(project.file, Catalog.load())
    assert again.get(network.id) == network


# What each sandbox has written, and what its address of a cluster or of an instance comes from.
ALWAYS = frozenset(
    {"endpoint", "masterVersion", "masterAuth", "mountPoint", "effectiveReservedIpRange", "address"}
)
OLD_AUTHORITY = {"clusterCaCertificate": "b2xk"}


def test_what_an_earlier_sandbox_did_not_write_is_there_and_what_it_wrote_stays(
    project: Project,
) -> None:
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    project.pool(cluster, "e2-standard-4")
    project.peer(network, prefix_length=20)
    project.lustre(network)
    project.redis(network)
    project.enable("storage")
    project.make(BUCKET, name="runs", location="us-east1")
    written = json.loads(project.file.read_text())
    older = deepcopy(written)
    for entry in older["resources"].values():
        entry["outputs"] = {key: it for key, it in entry["outputs"].items() if key in ALWAYS}
    block = {"enablePrivateNodes": True}
    older["resources"][cluster.id]["outputs"]["privateClusterConfig"] = block
    older["resources"][cluster.id]["outputs"]["masterVersion"] = "1.30"
    older["resources"][cluster.id]["outputs"]["masterAuth"] = OLD_AUTHORITY
    project.file.write_text(json.dumps(older))
    later = cloud_at(project.file, Catalog.load())
    answered = later.get(cluster.id)
    assert answered is not None
    assert answered.outputs["masterVersion"] == "1.30"
    assert answered.outputs["privateClusterConfig"].items() >= block.items()
    assert hosts_of(answered) == hosts_of(cluster)
    changed = {**answered.inputs, "resourceLabels": {"team": "x"}}
    assert later.update(CLUSTER, cluster.id, changed).outputs["masterAuth"] == OLD_AUTHORITY
    for resource_id, entry in written["resources"].items():
        known = later.get(resource_id)
        assert known is not None
        assert set(known.outputs) == set(entry["outputs"])
        if resource_id != cluster.id and entry["type"] != POOL:
            assert known.outputs == entry["outputs"]


def test_a_create_whose_engine_died_is_finished_by_the_cloud(tmp_path: Path) -> None:
    project = Project(tmp_path)
    inputs = {"project": P, "service": "compute.googleapis.com"}
    project.cloud.begin_create(SERVICE, inputs, "urn:pulumi:s::p::t::x")
    later = cloud_at(project.file, Catalog.load())
    assert not later.api_is_on(P, "compute.googleapis.com")
    later.begin_run()
    assert later.api_is_on(P, "compute.googleapis.com")


def test_forgetting_a_stack_leaves_the_other_stacks_alone(project: Project) -> None:
    network = project.network()
    project.cloud.forget_stack("other")
    assert project.cloud.get(network.id) is not None
    project.cloud.forget_stack("s")
    assert project.cloud.inventory() == {}
