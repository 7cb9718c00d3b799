"""A control plane with another endpoint, through the engine on the sandbox: everything in the
cluster goes by it, and stays where the cluster gets another one.

Cannot show whether Google's front end takes the plugin's token, nor what a caller outside of the
VPC network is told.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from sandbox.cloud.kinds.cluster import Cluster
from sandbox.providers.kubeconfig import server_of
from tests.stacks.conftest import Sandbox, changed, left_to_do
from tests.stacks.test_given_back import TAKEN_AWAY
from tests.stacks.test_machines import sandbox_of

DNS, PRIVATE, PUBLIC = (f"cluster.endpoint={it}" for it in ("dns", "private", "public"))
CLUSTER_AND_WAY_IN = {"gke-cluster": "update", "gke-kubernetes": "update"}


def sandbox(tmp_path: Path) -> Sandbox:
    config: dict[str, Any] = deepcopy(TAKEN_AWAY)
    stack = config["gke-ai-stacks:stack"]
    del stack["cluster"]["authorized_networks"]
    stack["namespace"] = "work"
    return sandbox_of({"config": config}, tmp_path)


def cluster_of(made: Sandbox) -> Any:
    (cluster,) = made.cloud.find(Cluster.token)
    return cluster


def server(made: Sandbox) -> str | None:
    """Where the kubeconfig leads that the stack hands out."""
    (root,) = (it for it in made.state()["resources"] if it["type"] == "pulumi:pulumi:Stack")
    return server_of(root["outputs"]["kubeconfig"])


@pytest.mark.thorough
def test_a_stack_comes_up_by_the_name_of_its_control_plane_stays_and_goes(tmp_path: Path) -> None:
    made = sandbox(tmp_path)
    made.succeed("up", DNS)
    cluster = cluster_of(made)
    name = cluster.outputs["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"]
    assert server(made) == f"https://{name}"
    assert made.clusters.kube(cluster).listed("v1", "Namespace")
    assert left_to_do(made, DNS) == {}
    made.succeed("destroy", DNS)
    assert not list(made.cloud.find(Cluster.token))


@pytest.mark.thorough
def test_another_endpoint_of_a_running_cluster_replaces_nothing_in_it(tmp_path: Path) -> None:
    made = sandbox(tmp_path)
    made.succeed("up")
    for endpoint in (DNS, PRIVATE, DNS, PUBLIC, PRIVATE, PUBLIC):
        preview = changed(made.succeed("preview", endpoint))
        assert preview == CLUSTER_AND_WAY_IN, endpoint
        assert changed(made.succeed("up", endpoint)) == preview, endpoint
        assert left_to_do(made, endpoint) == {}, endpoint
    assert server(made) == f"https://{cluster_of(made).outputs['endpoint']}"


@pytest.mark.thorough
def test_an_endpoint_that_the_config_names_no_more_is_the_public_one_again(tmp_path: Path) -> None:
    made = sandbox(tmp_path)
    made.succeed("up", DNS)
    assert changed(made.succeed("up")) == CLUSTER_AND_WAY_IN
    assert left_to_do(made) == {}
    address = cluster_of(made).outputs
    assert address["controlPlaneEndpointsConfig"]["ipEndpointsConfig"] == {"enabled": True}
    assert address["privateClusterConfig"]["enablePrivateEndpoint"] is False
