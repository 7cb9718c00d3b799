"""The simulated cloud's rules for APIs, networks and Lustre; each refusal is matched at its end."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest

from catalog import Catalog
from sandbox.cloud.kinds.cluster import hosts_of
from sandbox.cloud_store import cloud_at
from sandbox.errors import CloudError
from tests.unit.simulated_project import (
    ADDRESS,
    BUCKET,
    CLUSTER,
    LUSTRE,
    POOL,
    SERVICE,
    P,
    Project,
)


def test_an_api_stays_on_after_its_resource_is_gone(project: Project) -> None:
    service = next(project.cloud.find(SERVICE))
    project.delete(service)
    assert project.cloud.api_is_on(P, service["service"])


def test_lustre_takes_an_address_of_the_peering_range(project: Project) -> None:
    network = project.network()
    project.peer(network)
    assert project.lustre(network).outputs["mountPoint"] == "10.10.0.2@tcp:/lustre"


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


def test_a_removed_peering_lets_the_network_go_whatever_its_producers_hold(
    project: Project,
) -> None:
    network = project.network()
    connection = project.peer(network, deletionPolicy="REMOVE_PEERING")
    address = next(project.cloud.find(ADDRESS))
    for resource in (project.lustre(network), connection, address, network):
        project.delete(resource)
    assert set(project.cloud.inventory()) == {SERVICE}


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
