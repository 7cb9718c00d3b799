"""A program of a few components that stand on parts which no stack made, and those parts."""

from __future__ import annotations

from functools import partial
from typing import Any

import pulumi
import pulumi_gcp as gcp

from catalog import Catalog
from components.bucket_grant import BucketGrant, BucketGrantArgs, kubernetes_principal
from components.capacity import CapacityArgs
from components.existing_bucket import ExistingBucket, ExistingBucketArgs, existing_bucket
from components.existing_cluster import ExistingClusterArgs, existing_cluster, read_cluster
from components.existing_facts import ClusterFacts, LustreFacts, NetworkFacts
from components.existing_lustre import ExistingLustre, ExistingLustreArgs, existing_lustre
from components.existing_network import ExistingNetwork, ExistingNetworkArgs, existing_network
from components.gke_cluster import GkeCluster, GkeClusterArgs
from components.lustre_volume import LustreVolume, LustreVolumeArgs
from components.namespace import KubeNamespace, KubeNamespaceArgs
from components.node_pool import NodePool, NodePoolArgs
from stacks.parts.buckets.existing_rules import BucketNeeds, bucket_advice, bucket_problems
from stacks.parts.cluster.existing_rules import ClusterNeeds, cluster_problems
from stacks.parts.lustre.existing_rules import LustreNeeds, lustre_problems
from stacks.parts.network.existing_rules import NetworkNeeds, network_advice, network_problems
from stacks.survey import Survey
from tests.parts import existing_ground as ground
from tests.parts.existing_ground import ExistingVpc

P, REGION, ZONE = "sandbox-project", "us-central1", "us-central1-a"
HOST = "network-project"
ACCOUNT = f"platform@{P}.iam.gserviceaccount.com"
VPC = ExistingVpc(
    project=HOST,
    region=REGION,
    name="shared",
    subnetwork="nodes",
    nodes="10.0.0.0/20",
    pods_range="gke-pods",
    pods="10.8.0.0/16",
    services_range="gke-services",
    services="10.9.0.0/20",
    peering="10.10.0.0/22",
)
EXISTING = [
    *VPC.resources(),
    ground.existing_lustre(
        VPC,
        project=P,
        name="fast",
        zone=ZONE,
        capacity_gib=9000,
        throughput_mbps_per_tib=1000,
        filesystem="lustre",
    ),
    ground.existing("serviceaccount/account:Account", P, accountId="platform"),
    ground.existing_cluster(
        VPC,
        project=P,
        name="platform",
        location=REGION,
        version="1.35.2-gke.1842000",
        channel="REGULAR",
        control_plane="10.10.4.0/28",
    ),
    ground.existing_bucket(P, "platform-data", REGION),
]


def program() -> None:
    """Config `network`, `subnetwork`, `cluster`, `bucket`, `instance` and `pods_range` are names
    other than those above. Raises pulumi.RunError where a part is not there or does not fit."""
    provider = gcp.Provider("google", project=P, region=REGION, zone=ZONE)
    survey = Survey()
    network, found = _network(provider, survey), _cluster(provider, survey)
    bucket, lustre = _bucket(provider, survey), _lustre(provider, survey)
    if network is not None and found is not None and lustre is not None:
        _judge(survey, network.found, found, lustre.found)
    survey.close()
    assert found is not None
    _build(provider, network, existing_cluster("gke", found), bucket, lustre)


def _name(key: str, usual: str) -> str:
    return pulumi.Config().get(key) or usual


def _network(provider: gcp.Provider, survey: Survey) -> ExistingNetwork | None:
    args = ExistingNetworkArgs(
        project=HOST,
        region=REGION,
        network=_name("network", "shared"),
        subnetwork=_name("subnetwork", "nodes"),
    )
    return survey.read("network.existing", partial(existing_network, args, provider))


def _cluster(provider: gcp.Provider, survey: Survey) -> ClusterFacts | None:
    args = ExistingClusterArgs(project=P, location=REGION, cluster=_name("cluster", "platform"))
    return survey.read("cluster.existing", partial(read_cluster, args, provider))


def _bucket(provider: gcp.Provider, survey: Survey) -> ExistingBucket | None:
    args = ExistingBucketArgs(project=P, bucket=_name("bucket", "platform-data"))
    bucket = survey.read("bucket.existing", partial(existing_bucket, args, provider))
    if bucket is not None:
        needs = BucketNeeds(region=REGION, hierarchical_namespace=False)
        survey.judge(bucket_problems(bucket.found, needs), bucket_advice(bucket.found, needs))
    return bucket


def _lustre(provider: gcp.Provider, survey: Survey) -> ExistingLustre | None:
    args = ExistingLustreArgs(project=P, zone=ZONE, instance=_name("instance", "fast"))
    return survey.read("lustre.existing", partial(existing_lustre, args, provider))


def _judge(
    survey: Survey, network: NetworkFacts, cluster: ClusterFacts, lustre: LustreFacts
) -> None:
    facts = Catalog.load()
    on_network = NetworkNeeds(
        pods_range=_name("pods_range", "gke-pods"),
        services_range="gke-services",
        made={"control_plane": "10.10.5.0/28"},
        jumbo_for="Managed Lustre",
    )
    survey.judge(network_problems(network, on_network), network_advice(network, on_network))
    in_cluster = ClusterNeeds(
        project=P,
        region=REGION,
        gcs_fuse=True,
        lustre_legacy_port=False,
        network_id=network.network_id,
        features=("lustre_csi",),
    )
    survey.judge(cluster_problems(cluster, in_cluster, facts))
    mounted = LustreNeeds(
        zone=ZONE, network_id=cluster.network_id, filesystem="lustre", legacy_port=False
    )
    survey.judge(lustre_problems(lustre, mounted, facts))


def _build(provider: gcp.Provider, network: Any, gke: Any, bucket: Any, lustre: Any) -> None:
    opts = pulumi.ResourceOptions(providers=[provider])
    inside = pulumi.ResourceOptions(providers=[gke.kubernetes])
    where = KubeNamespace(
        "kube", KubeNamespaceArgs(namespace="ours", pod_security="baseline", labels={}), opts=inside
    )
    NodePool(
        "cpu",
        NodePoolArgs(
            project=P,
            location=gke.location,
            zone=ZONE,
            cluster_name=gke.cluster_name,
            pool_name="cpu-pool",
            service_account=ACCOUNT,
            machine_type="e2-standard-8",
            nodes=1,
            capacity=CapacityArgs(mode="on-demand"),
            disk_type="pd-balanced",
            disk_gb=100,
            max_pods_per_node=32,
            labels={},
        ),
        opts=opts,
    )
    LustreVolume(
        "volume",
        LustreVolumeArgs(
            backing=[],
            namespace=where.namespace,
            base_name="fast",
            handle=lustre.handle,
            address=lustre.address,
            filesystem=lustre.filesystem,
            capacity_gib=lustre.capacity_gib,
            labels={},
        ),
        opts=inside,
    )
    number = gcp.organizations.get_project_output(
        project_id=P, opts=pulumi.InvokeOutputOptions(provider=provider)
    ).number
    BucketGrant(
        "bucket-user",
        BucketGrantArgs(
            bucket_name=bucket.bucket_name,
            role="roles/storage.objectUser",
            member=kubernetes_principal(
                project_number=number,
                workload_pool=gke.workload_pool,
                namespace=where.namespace,
                service_account="default",
            ),
        ),
        opts=opts,
    )
    # A cluster of the stack's own, on the network that is not.
    GkeCluster(
        "own",
        GkeClusterArgs(
            project=P,
            location=REGION,
            zone=ZONE,
            cluster_name="own",
            network_id=network.network_id,
            subnetwork_id=network.subnetwork_id,
            pods_range="gke-pods",
            services_range="gke-services",
            control_plane_range="10.10.5.0/28",
            node_service_account=ACCOUNT,
            release_channel="REGULAR",
            deletion_protection=False,
            labels={},
            ray_operator=True,
        ),
        opts=opts,
    )
