"""What exists in the simulated cloud without a stack, and what the provider's functions say of it.

Cannot prove that the real provider answers so: its code was read.
"""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi.provider.experimental import provider as rpc

from cli.errors import UserError
from sandbox.cloud.resource import Resource
from sandbox.clusters import Clusters
from sandbox.errors import CloudError
from sandbox.providers.gcp import GcpStandIn
from sandbox.providers.values import plain_map, wrap_map
from sandbox.workspace import Workspace
from tests.unit.simulated_project import (
    APIS,
    BUCKET,
    CLUSTER,
    NAT,
    NETWORK,
    REPOSITORY,
    ROUTER,
    P,
    Project,
)
from tests.unit.test_sandbox_providers import behind

REGION = "us-east1"
SHARED = {"type": NETWORK, "inputs": {"project": P, "name": "shared", "mtu": 8896}}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS, "storage", "artifactregistry")
    return made


def call(project: Project, function: str, **args: Any) -> dict[str, Any]:
    """A function's answer, from a provider whose project is P."""
    gcp = GcpStandIn(Clusters(project.cloud, project.file), behind(project.file.parent / "x")[1])

    async def asked() -> rpc.InvokeResponse:
        given = wrap_map({"project": P, "region": REGION, "zone": "us-east1-b"})
        await gcp.configure(
            rpc.ConfigureRequest({}, given, accept_secrets=False, accept_resources=False)
        )
        return await gcp.invoke(rpc.InvokeRequest(function, wrap_map(args)))

    # `asyncio.run` would take away the loop on which other tests run their programs.
    with closing(asyncio.new_event_loop()) as loop:
        found = loop.run_until_complete(asked()).return_value
    assert found is not None
    return plain_map(found)


def network(project: Project) -> tuple[Resource, Resource]:
    made = project.network()
    return made, project.subnet(made)


class TestFunctions:
    def test_a_network_says_which_subnetworks_it_has_and_nothing_of_its_mtu(
        self, project: Project
    ) -> None:
        _, subnet = network(project)
        found = call(project, "gcp:compute/getNetwork:getNetwork", name="net")
        assert found["id"] == f"projects/{P}/global/networks/net"
        assert found["subnetworksSelfLinks"] == [subnet.outputs["selfLink"]]
        assert "mtu" not in found

    def test_a_subnetwork_has_its_ranges_by_name(self, project: Project) -> None:
        made, _ = network(project)
        found = call(project, "gcp:compute/getSubnetwork:getSubnetwork", name="nodes")
        assert found["network"] == made.outputs["selfLink"]
        assert found["secondaryIpRanges"] == [{"rangeName": "pods", "ipCidrRange": "10.4.0.0/14"}]
        assert found["privateIpGoogleAccess"] is False

    def test_routers_say_what_nats_they_have(self, project: Project) -> None:
        made, _ = network(project)
        project.make(ROUTER, name="r", region=REGION, network=made.id)
        project.make(NAT, name="n", region=REGION, router="r")
        found = call(project, "gcp:compute/getRouters:getRouters")
        (router,) = found["routers"]
        assert router["network"] == made.outputs["selfLink"]
        assert [nat["name"] for nat in router["nats"]] == ["n"]

    def test_a_clusters_blocks_are_lists_of_one(self, project: Project) -> None:
        project.cluster(*network(project))
        found = call(project, "gcp:container/getCluster:getCluster", name="c", location=REGION)
        (addons,) = found["addonsConfigs"]
        assert addons["rayOperatorConfigs"][0]["enabled"] is True
        assert addons["lustreCsiDriverConfigs"] == []
        assert found["releaseChannels"] == [{"channel": "UNSPECIFIED"}]
        assert found["workloadIdentityConfigs"] == []
        assert found["masterAuths"][0]["clusterCaCertificate"]

    def test_an_autopilot_cluster_has_what_gke_decides(self, project: Project) -> None:
        project.cluster(*network(project), enableAutopilot=True, nodeLocations=None)
        found = call(project, "gcp:container/getCluster:getCluster", name="c", location=REGION)
        assert found["datapathProvider"] == "ADVANCED_DATAPATH"
        assert found["workloadIdentityConfigs"] == [{"workloadPool": f"{P}.svc.id.goog"}]
        assert found["addonsConfigs"][0]["gcsFuseCsiDriverConfigs"] == [{"enabled": True}]

    def test_a_buckets_location_is_in_capitals(self, project: Project) -> None:
        project.make(BUCKET, name="b-1", location="us-east1", labels={"a": "b"})
        found = call(project, "gcp:storage/getBucket:getBucket", name="b-1")
        assert (found["location"], found["url"]) == ("US-EAST1", "gs://b-1")
        assert found["labels"] == {"a": "b"}
        assert found["hierarchicalNamespaces"] == []

    def test_a_lustre_instance_has_its_mount_point(self, project: Project) -> None:
        made = project.network()
        project.peer(made)
        project.lustre(made)
        asked = {"instanceId": "fast", "zone": "us-east1-b"}
        found = call(project, "gcp:lustre/getInstance:getInstance", **asked)
        assert found["mountPoint"].endswith("@tcp:/lustre")
        assert (found["capacityGib"], found["network"]) == ("9000", made.id)
        assert found["gkeSupportEnabled"] is False

    def test_a_repository_has_its_labels_and_a_mode(self, project: Project) -> None:
        project.make(
            REPOSITORY, repositoryId="r", location="us", format="DOCKER", labels={"a": "b"}
        )
        asked = {"repositoryId": "r", "location": "us"}
        found = call(project, "gcp:artifactregistry/getRepository:getRepository", **asked)
        assert (found["format"], found["mode"]) == ("DOCKER", "STANDARD_REPOSITORY")
        assert found["labels"] == {"a": "b"}
        assert found["remoteRepositoryConfigs"] == []

    @pytest.mark.parametrize(
        ("function", "args", "answer"),
        [
            ("compute/getNetwork", {"name": "no"}, f"projects/{P}/global/networks/no not found"),
            (
                "compute/getSubnetwork",
                {"name": "no"},
                f"projects/{P}/regions/us-east1/subnetworks/no not found",
            ),
            (
                "container/getCluster",
                {"name": "no", "location": "us-east1-b"},
                f"projects/{P}/locations/us-east1-b/clusters/no not found",
            ),
            ("storage/getBucket", {"name": "no"}, "The specified bucket does not exist., notFound"),
            ("storage/getBucket", {"name": "datasets"}, "access to the .* datasets, forbidden"),
            (
                "artifactregistry/getRepository",
                {"repositoryId": "no", "location": "us"},
                f"^projects/{P}/locations/us/repositories/no not found",
            ),
            (
                "compute/getImage",
                {"name": "no"},
                f"Error 404: The resource 'projects/{P}/global/images/no' was not found, notFound",
            ),
            # The real one has lost the id by then, too.
            ("lustre/getInstance", {"instanceId": "no", "zone": "us-east1-b"}, "^ not found"),
        ],
    )
    def test_what_is_not_there_is_told_in_the_providers_words(
        self, project: Project, function: str, args: dict[str, Any], answer: str
    ) -> None:
        token = f"gcp:{function}:{function.partition('/')[2]}"
        with pytest.raises(CloudError, match=f"{answer}$"):
            call(project, token, **args)

    def test_a_project_without_the_api_is_not_read(self, tmp_path: Path) -> None:
        with pytest.raises(CloudError, match=r"compute\.googleapis\.com has not been used in"):
            call(Project(tmp_path), "gcp:compute/getNetwork:getNetwork", name="net")

    def test_an_unknown_function_names_the_nearest(self, project: Project) -> None:
        with pytest.raises(
            CloudError, match=r"nearest: gcp:compute/getNetwork:getNetwork, gcp:compute"
        ):
            call(project, "gcp:compute/getNetworks:getNetworks")


class TestSeeding:
    def workspace(self, tmp_path: Path, *existing: dict[str, Any]) -> Workspace:
        file = tmp_path / "given.yaml"
        file.write_text(yaml.safe_dump({"existing": list(existing)}))
        workspace = Workspace(tmp_path / "sandbox", "dev")
        with workspace.lock():
            workspace.use_project(file)
        return workspace

    def test_what_a_project_file_says_is_there_and_belongs_to_no_stack(
        self, tmp_path: Path
    ) -> None:
        cloud = self.workspace(tmp_path, SHARED).cloud()
        assert cloud.inventory() == {NETWORK: [f"projects/{P}/global/networks/shared"]}
        assert cloud.inventory("dev") == {}
        cloud.forget_stack("dev")
        assert NETWORK in cloud.inventory()

    def test_what_is_there_stays_as_it_is(self, tmp_path: Path) -> None:
        before = self.workspace(tmp_path, SHARED).cloud_file.read_bytes()
        again = self.workspace(tmp_path, {**SHARED, "inputs": {**SHARED["inputs"], "mtu": 1460}})
        assert again.cloud_file.read_bytes() == before

    @pytest.mark.parametrize(
        ("wrong", "answer"),
        [
            ({"type": "gcp:compute/network:Net"}, f"nearest: {NETWORK}$"),
            (
                {"inputs": {"name": "x", "mtuu": 1}},
                r"existing\[0\]\.inputs\.mtuu: .* nearest: mtu$",
            ),
            ({"inputs": {"project": P, "name": "x", "mtu": 9000}}, "is not from 1300 to 8896$"),
            (
                {"type": CLUSTER, "inputs": {"project": P, "name": "c", "location": REGION}},
                "not found",
            ),
        ],
    )
    def test_what_google_cloud_would_not_make_is_refused(
        self, tmp_path: Path, wrong: dict[str, Any], answer: str
    ) -> None:
        with pytest.raises(UserError, match=answer):
            self.workspace(tmp_path, {**SHARED, **wrong})
