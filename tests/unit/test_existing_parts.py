"""Parts that exist already, as a program reads them through the provider's functions.

Cannot prove that the real provider answers so: the sandbox's stand-in does it in its place.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest

from components.base.existing import ExistingPartError, Part, read_part
from components.buckets.existing import ExistingBucketArgs, existing_bucket
from components.cluster.existing import ExistingClusterArgs, existing_cluster, read_cluster
from components.images.existing_disk import ExistingDiskImageArgs, existing_disk_image
from components.images.existing_repository import ExistingRepositoryArgs, existing_repository
from components.lustre.existing import ExistingLustreArgs, existing_lustre
from components.network.existing import ExistingNetworkArgs, existing_network
from sandbox.cloud.kinds.cluster import hosts_of
from sandbox.cloud.resource import Resource
from tests.unit.existing_parts import REGION, ZONE, Reader, values
from tests.unit.simulated_project import APIS, BUCKET, DISK_IMAGE, REPOSITORY, ROUTER, P, Project

NETWORK_ARGS = ExistingNetworkArgs(project=P, region=REGION, network="net", subnetwork="nodes")
CLUSTER_ARGS = ExistingClusterArgs(project=P, location=REGION, cluster="c")
BUCKET_ARGS = ExistingBucketArgs(project=P, bucket="our-data")
REPOSITORY_ARGS = ExistingRepositoryArgs(project=P, location=REGION, repository="nvcr-io")
DISK_IMAGE_ARGS = ExistingDiskImageArgs(project=P, image="trainer")
LUSTRE_ARGS = ExistingLustreArgs(project=P, zone=ZONE, instance="fast")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS, "storage", "artifactregistry")
    return made


@pytest.fixture
def reader(project: Project) -> Reader:
    return Reader(project)


class TestCluster:
    def cluster(self, project: Project, **inputs: Any) -> Resource:
        made = project.network()
        return project.cluster(made, project.subnet(made), **inputs)

    def test_its_facts_are_read(self, project: Project, reader: Reader) -> None:
        self.cluster(
            project,
            datapathProvider="ADVANCED_DATAPATH",
            enableMultiNetworking=True,
            minMasterVersion="1.35.2-gke.1842000",
            releaseChannel={"channel": "RAPID"},
            privateClusterConfig={"enablePrivateNodes": True},
            workloadIdentityConfig={"workloadPool": f"{P}.svc.id.goog"},
            podAutoscaling={"hpaProfile": "PERFORMANCE"},
            addonsConfig={
                "rayOperatorConfigs": [{"enabled": False}],
                "gcsFuseCsiDriverConfig": {"enabled": True},
                "lustreCsiDriverConfig": {"enabled": True, "enableLegacyLustrePort": True},
            },
            resourceLabels={"team": "ml"},
        )
        found = reader.run(partial(read_cluster, CLUSTER_ARGS))
        assert found.zones == (ZONE,)
        assert found.network_id == f"projects/{P}/global/networks/net"
        assert found.subnetwork_id == f"projects/{P}/regions/{REGION}/subnetworks/nodes"
        assert (found.pods_range, found.services_range) == ("pods", None)
        assert found.version == "1.35.2-gke.1842000"
        assert found.release_channel == "RAPID"
        assert found.dataplane_v2
        assert not found.calico
        assert found.multi_networking
        assert found.private_nodes
        assert found.workload_pool == f"{P}.svc.id.goog"
        assert found.custom_metrics
        assert (found.ray_operator, found.gcs_fuse) == (False, True)
        assert (found.lustre, found.lustre_legacy_port) == (True, True)
        assert found.labels == {"team": "ml"}
        assert not found.autopilot

    @pytest.mark.parametrize("sparse", [False, True])
    def test_what_it_does_not_have_is_off(self, project: Project, *, sparse: bool) -> None:
        self.cluster(project, addonsConfig=None, nodeLocations=None)
        reader = Reader(project, sparse=sparse)
        found = reader.run(partial(read_cluster, CLUSTER_ARGS))
        assert not any((found.ray_operator, found.gcs_fuse, found.lustre, found.lustre_legacy_port))
        assert not any((found.autopilot, found.dataplane_v2, found.multi_networking))
        assert not found.calico
        assert not any((found.private_nodes, found.workload_pool, found.custom_metrics))
        assert found.release_channel == "UNSPECIFIED"
        assert found.labels == {}

    @pytest.mark.parametrize(
        ("open_name", "address", "private", "reached"),
        [
            (False, True, False, "public"),
            (True, True, False, "public"),
            (False, True, True, "private"),
            (True, True, True, "dns"),
            (True, False, True, "dns"),
        ],
    )
    def test_it_is_reached_where_its_owner_lets_it_answer(
        self,
        project: Project,
        reader: Reader,
        *,
        open_name: bool,
        address: bool,
        private: bool,
        reached: str,
    ) -> None:
        cluster = self.cluster(
            project,
            privateClusterConfig={"enablePrivateNodes": True, "enablePrivateEndpoint": private},
            masterAuthorizedNetworksConfig={"gcpPublicCidrsAccessEnabled": False},
            controlPlaneEndpointsConfig={
                "dnsEndpointConfig": {"allowExternalTraffic": open_name},
                "ipEndpointsConfig": {"enabled": address},
            },
        )
        found = reader.run(partial(read_cluster, CLUSTER_ARGS))
        assert found.reached == reached
        assert (found.ca_certificate is None) is (reached == "dns")
        assert found.endpoint in hosts_of(cluster)
        assert found.dns_name is not None

    def test_who_enforces_network_policies_is_read(self, project: Project, reader: Reader) -> None:
        self.cluster(project, networkPolicy={"enabled": True, "provider": "CALICO"})
        found = reader.run(partial(read_cluster, CLUSTER_ARGS))
        assert (found.calico, found.dataplane_v2) == (True, False)

    def test_a_zonal_clusters_own_zone_is_one_of_its_zones(
        self, project: Project, reader: Reader
    ) -> None:
        self.cluster(project, location=ZONE, nodeLocations=None)
        args = ExistingClusterArgs(project=P, location=ZONE, cluster="c")
        assert reader.run(partial(read_cluster, args)).zones == (ZONE,)

    def test_kubernetes_objects_go_to_the_cluster_that_was_read(
        self, project: Project, reader: Reader
    ) -> None:
        self.cluster(project)

        def kubeconfig(provider: gcp.Provider) -> pulumi.Output[Any]:
            found = read_cluster(CLUSTER_ARGS, provider)
            return values(existing_cluster("gke", found), "endpoint", "workload_pool").apply(
                lambda it: [*it, found.ca_certificate]
            )

        endpoint, pool, authority = reader.run(kubeconfig)
        (made,) = [it for it in reader.inputs if it.get("kubeconfig")]
        (server,) = json.loads(made["kubeconfig"])["clusters"]
        assert server["cluster"] == {
            "server": f"https://{endpoint}",
            "certificate-authority-data": authority,
        }
        assert pool == ""


class TestStorage:
    def test_a_buckets_facts_are_read(self, project: Project, reader: Reader) -> None:
        project.make(
            BUCKET,
            name="our-data",
            location="US",
            customPlacementConfig={"dataLocations": ["us-east1", "US-CENTRAL1"]},
            uniformBucketLevelAccess=True,
            versioning={"enabled": True},
            labels={"team": "ml"},
        )
        found = reader.run(partial(existing_bucket, BUCKET_ARGS)).found
        assert (found.location, found.regions) == ("US", ("US-EAST1", "US-CENTRAL1"))
        assert (found.uniform_access, found.versioning) == (True, True)
        assert not found.hierarchical_namespace
        assert found.labels == {"team": "ml"}

    def test_a_bucket_hands_out_what_a_made_one_does(
        self, project: Project, reader: Reader
    ) -> None:
        project.make(BUCKET, name="our-data", location="US-EAST1")
        assert reader.run(
            lambda provider: values(existing_bucket(BUCKET_ARGS, provider), "bucket_name", "url")
        ) == ["our-data", "gs://our-data"]

    def test_a_lustre_instance_hands_out_what_a_made_one_does(
        self, project: Project, reader: Reader
    ) -> None:
        made = project.network()
        project.peer(made)
        instance = project.lustre(made, gkeSupportEnabled=True)
        address = instance.outputs["mountPoint"].partition("@")[0]
        names = ("instance_name", "filesystem", "capacity_gib", "address", "handle")
        assert reader.run(
            lambda provider: values(existing_lustre(LUSTRE_ARGS, provider), *names)
        ) == ["fast", "lustre", "9000", address, f"{P}/{ZONE}/fast"]
        found = reader.run(partial(existing_lustre, LUSTRE_ARGS)).found
        assert (found.network_id, found.legacy_port, found.state) == (made.id, True, "ACTIVE")


class TestRepository:
    def repository(self, project: Project, **inputs: Any) -> None:
        where = {"repositoryId": "nvcr-io", "location": REGION}
        project.make(REPOSITORY, **where, format="DOCKER", **inputs)

    @pytest.mark.parametrize("sparse", [False, True])
    @pytest.mark.parametrize(
        ("remote", "upstream"),
        [
            ({"dockerRepository": {"publicRepository": "DOCKER_HUB"}}, "DOCKER_HUB"),
            (
                {"dockerRepository": {"customRepository": {"uri": "https://nvcr.io"}}},
                "https://nvcr.io",
            ),
            ({"commonRepository": {"uri": "https://ghcr.io"}}, "https://ghcr.io"),
        ],
    )
    def test_a_repositorys_facts_are_read(
        self, project: Project, remote: dict[str, Any], upstream: str, *, sparse: bool
    ) -> None:
        self.repository(
            project, mode="REMOTE_REPOSITORY", remoteRepositoryConfig=remote, labels={"team": "ml"}
        )
        found = Reader(project, sparse=sparse).run(partial(existing_repository, REPOSITORY_ARGS))
        assert (found.format, found.mode) == ("DOCKER", "REMOTE_REPOSITORY")
        assert found.upstream == upstream
        assert found.labels == {"team": "ml"}

    @pytest.mark.parametrize("sparse", [False, True])
    def test_one_that_mirrors_nothing_has_no_upstream(
        self, project: Project, *, sparse: bool
    ) -> None:
        self.repository(project)
        found = Reader(project, sparse=sparse).run(partial(existing_repository, REPOSITORY_ARGS))
        assert (found.mode, found.upstream, found.labels) == ("STANDARD_REPOSITORY", None, {})


def test_a_disk_images_facts_are_read(project: Project, reader: Reader) -> None:
    project.make(DISK_IMAGE, name="trainer")
    found = reader.run(partial(existing_disk_image, DISK_IMAGE_ARGS))
    assert (found.project, found.name, found.status) == (P, "trainer", "READY")
    assert reader.called == ["getImage"]


@pytest.mark.parametrize(
    ("read", "kind", "message"),
    [
        (partial(existing_network, NETWORK_ARGS), "network", f'"net" is not in project {P}; '),
        (
            partial(read_cluster, CLUSTER_ARGS),
            "cluster",
            f'"c" is not in {REGION} of project {P}; ',
        ),
        (partial(existing_bucket, BUCKET_ARGS), "bucket", '"our-data" is not in Cloud Storage; '),
        (
            partial(existing_repository, REPOSITORY_ARGS),
            "repository",
            f'"nvcr-io" is not in {REGION} of project {P}; ',
        ),
        (
            partial(existing_disk_image, DISK_IMAGE_ARGS),
            "disk image",
            f'"trainer" is not in the images of project {P}; ',
        ),
        (
            partial(existing_lustre, LUSTRE_ARGS),
            "instance",
            f'"fast" is not in zone {ZONE} of project {P}; ',
        ),
    ],
)
def test_a_part_that_is_not_there_is_named_with_the_place(
    reader: Reader, read: Callable[[gcp.Provider], Any], kind: str, message: str
) -> None:
    with pytest.raises(ExistingPartError, match=r"nearest: one that `gcloud .*` shows$") as raised:
        reader.run(read)
    assert str(raised.value).startswith(message)
    assert raised.value.part.kind == kind


def test_a_subnetwork_that_is_not_there_is_named_with_its_region(
    project: Project, reader: Reader
) -> None:
    project.network()
    with pytest.raises(ExistingPartError, match=f'^"nodes" is not in region {REGION} of project'):
        reader.run(partial(existing_network, NETWORK_ARGS))


def test_a_part_that_may_not_be_read_is_not_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ExistingPartError, match=r"could not be read: .* accessNotConfigured$"):
        Reader(Project(tmp_path)).run(partial(existing_network, NETWORK_ARGS))


def test_the_engines_own_words_around_the_providers_are_left_out() -> None:
    part = Part(kind="network", name="x", place="project y", listing="gcloud")

    def fail() -> None:
        raise Exception(
            "invoke of gcp:compute/getNetwork:getNetwork failed: invocation of "
            "gcp:compute/getNetwork:getNetwork returned an error: invoking "
            "gcp:compute/getNetwork:getNetwork: 1 error occurred:\n\t* no such\n  luck\n\n"
        )

    with pytest.raises(
        ExistingPartError, match=r'^"x" in project y could not be read: no such luck$'
    ):
        read_part(part, fail)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_network_and_storage_with_nothing_set_can_be_read(
    project: Project, *, sparse: bool
) -> None:
    made = project.network()
    project.plain_subnet(made, "nodes", "10.0.0.0/20")
    project.make(ROUTER, name="r", region=REGION, network=made.id)
    project.make(BUCKET, name="our-data", location="US-EAST1")
    reader = Reader(project, sparse=sparse)
    network = reader.run(partial(existing_network, NETWORK_ARGS)).found
    assert (network.secondary_ranges, network.nats) == ({}, ())
    assert not network.private_google_access
    bucket = reader.run(partial(existing_bucket, BUCKET_ARGS)).found
    assert (bucket.labels, bucket.regions) == ({}, ())
    assert not any((bucket.hierarchical_namespace, bucket.uniform_access, bucket.versioning))


def test_reading_makes_nothing(project: Project, reader: Reader) -> None:
    made = project.network()
    project.subnet(made)
    reader.run(partial(existing_network, NETWORK_ARGS))
    assert reader.registered == ["pulumi:providers:gcp"]
    assert reader.called == ["getNetwork", "getSubnetwork", "getRouters"]
