"""The simulated cloud's rules for clusters, pools and accounts; refusals match at their end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from components.cluster.control_plane import check_dns_name
from sandbox.cloud.kinds.cluster import hosts_of
from sandbox.cloud.kinds.node_pool import status_of
from sandbox.errors import CloudError
from sandbox.faults import Faults, Stockout
from sandbox.gke.nodes import nodes_of
from tests.unit.simulated_project import APIS, CLUSTER, POOL, Project


def test_each_cluster_answers_at_an_address_of_its_own_and_keeps_it(project: Project) -> None:
    network = project.network()
    subnet = project.subnet(network)
    made = [project.cluster(network, subnet, name=f"c{it}") for it in range(60)]
    found = [it.outputs["endpoint"] for it in made]
    assert len({*found}) == len(made)
    gone, kept = made[:30], made[30:]
    for it in gone:
        project.delete(it)
    again = [project.cloud.update(CLUSTER, it.id, dict(it.inputs)) for it in kept]
    assert [it.outputs["endpoint"] for it in again] == found[30:]


def test_a_control_plane_answers_where_it_is_open_and_nowhere_else(project: Project) -> None:
    network = project.network()
    subnet = project.subnet(network)
    private = {"enablePrivateNodes": True, "enablePrivateEndpoint": True}
    public = project.cluster(network, subnet, name="a")
    inside = project.cluster(
        network,
        subnet,
        name="b",
        privateClusterConfig=private,
        masterAuthorizedNetworksConfig={"gcpPublicCidrsAccessEnabled": False},
    )
    named = project.cluster(
        network,
        subnet,
        name="c",
        controlPlaneEndpointsConfig={
            "dnsEndpointConfig": {"allowExternalTraffic": True},
            "ipEndpointsConfig": {"enabled": False},
        },
    )
    assert hosts_of(public) == (public.outputs["endpoint"],)
    assert hosts_of(inside) == (inside.outputs["privateClusterConfig"]["privateEndpoint"],)
    (name,) = hosts_of(named)
    assert check_dns_name(name) == name
    everybody = [
        it.outputs["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"]
        for it in (public, inside, named)
    ]
    assert len({*everybody}) == len(everybody)


@pytest.mark.parametrize(
    ("machines", "status"), [(0, "ERROR"), (1, "RUNNING_WITH_ERROR"), (2, "RUNNING")]
)
def test_a_pool_out_of_stock_has_the_machines_that_came_and_a_status(
    tmp_path: Path, machines: int, status: str
) -> None:
    a4 = "a4-highgpu-8g"
    rule = Stockout(kind="stockout", machine_type=a4, zone="us-east1-b", machines=machines)
    project = Project(tmp_path, Faults(rules=(rule,)))
    project.enable(*APIS)
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    pool = project.pool(cluster, a4, nodeCount=2, initialNodeCount=None)
    assert status_of(pool, project.cloud) == status
    assert len(nodes_of(cluster, project.cloud)) == machines
    error = project.cloud.half_made(pool)
    assert (error is None) == (status == "RUNNING")
    assert error is None or error.message.endswith(f'was created in the error state "{status}"')


def test_a_pool_out_of_stock_has_its_machines_in_a_run_without_the_rule(tmp_path: Path) -> None:
    rule = Stockout(kind="stockout", machine_type="a4-highgpu-8g", zone="us-east1-b")
    project = Project(tmp_path, Faults(rules=(rule,)))
    project.enable(*APIS)
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    pool = project.pool(cluster, "a4-highgpu-8g")
    project.cloud.begin_run()
    assert status_of(pool, project.cloud) == "ERROR"
    project.cloud.faults = Faults()
    project.cloud.begin_run()
    assert status_of(pool, project.cloud) == "RUNNING"


def test_a_stockout_is_of_that_machine_type_only(tmp_path: Path) -> None:
    rule = Stockout(kind="stockout", machine_type="a4-highgpu-8g", zone="us-east1-b")
    project = Project(tmp_path, Faults(rules=(rule,)))
    project.enable(*APIS)
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    pool = project.pool(cluster, "e2-standard-4")
    assert project.cloud.half_made(pool) is None


def test_google_groups_are_members_of_the_one_group_that_gke_knows(project: Project) -> None:
    network = project.network()
    subnet = project.subnet(network)
    groups = {"authenticatorGroupsConfig": {"securityGroup": "groups@example.com"}}
    with pytest.raises(CloudError, match=r"must be gke-security-groups@DOMAIN$"):
        project.cluster(network, subnet, **groups)
    groups = {"authenticatorGroupsConfig": {"securityGroup": "gke-security-groups@example.com"}}
    made = project.cluster(network, subnet, **groups)
    plain = {key: value for key, value in made.inputs.items() if key not in groups}
    left = project.cloud.update(CLUSTER, made.id, plain)
    assert left["authenticatorGroupsConfig"] == groups["authenticatorGroupsConfig"]


def test_labels_that_are_too_long_together_are_refused(project: Project) -> None:
    cluster = project.cluster(network := project.network(), project.subnet(network))
    node = {"machineType": "e2-standard-4", "labels": {f"k{n:02}": "v" * 60 for n in range(17)}}
    with pytest.raises(CloudError, match=r"longer than 1024 characters$"):
        project.pool(cluster, "e2-standard-4", nodeConfig=node)


def test_a_pool_keeps_its_node_labels_where_the_program_names_none_any_more(
    project: Project,
) -> None:
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    node = {"machineType": "e2-standard-4", "labels": {"team": "a", "tier": "b"}}
    taints = [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]
    made = project.pool(cluster, "e2-standard-4", nodeConfig={**node, "taints": taints})

    def updated(**config: Any) -> dict[str, Any]:
        news = {**made.inputs, "nodeConfig": {"machineType": "e2-standard-4", **config}}
        return project.cloud.update(POOL, made.id, news)["nodeConfig"]

    assert updated(labels={"team": "a"})["labels"] == {"team": "a"}
    left = updated()
    assert left["labels"] == {"team": "a"}
    assert "taints" not in left


def test_a_control_plane_skips_no_minor_version(project: Project) -> None:
    network = project.network()
    made = project.cluster(network, project.subnet(network), minMasterVersion="1.33")
    raised = project.cloud.update(CLUSTER, made.id, {**made.inputs, "minMasterVersion": "1.34"})
    assert raised.outputs["masterVersion"] == "1.34"


def test_a_lower_minimum_version_changes_nothing(project: Project) -> None:
    network = project.network()
    made = project.cluster(network, project.subnet(network), minMasterVersion="1.35")
    lowered = project.cloud.update(CLUSTER, made.id, {**made.inputs, "minMasterVersion": "1.34"})
    assert lowered.outputs["masterVersion"] == "1.35"
