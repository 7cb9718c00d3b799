"""A cluster that two teams share, one with a pool of its own: a program beside those that a config
makes, for tests. What the next run is to build differently stands in `CHANGES`."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from cli.project import PROJECT_FOLDER
from components.apis import ProjectApis, ProjectApisArgs
from components.bucket import Bucket, BucketArgs
from components.capacity import CapacityArgs
from components.cluster_viewers import ClusterViewers, ClusterViewersArgs
from components.gke_cluster import GkeCluster, GkeClusterArgs
from components.members import MemberArgs
from components.network import ClusterNetwork, ClusterNetworkArgs
from components.node_pool import NodePool, NodePoolArgs
from components.node_service_account import NodeServiceAccount, NodeServiceAccountArgs
from components.node_taints import NodeTaintArgs, toleration
from components.team import Team, TeamArgs, TeamBucketArgs
from components.team_quota import TeamQuotaArgs
from sandbox.workspace import SANDBOX_PROJECT as PROJECT

REGION, ZONE = "us-central1", "us-central1-a"
LABELS = {"stack": "test"}
TAINT = NodeTaintArgs(key="team", value="vision", effect="NoSchedule")
VISION = MemberArgs(email="vision@example.com", kind="group", role="edit")
ADA = MemberArgs(email="ada@example.com", kind="user", role="view")
# Of `pool` and `team`: fields of their args. `replicas` are of the team's server.
CHANGES: dict[str, Any] = {}

_MAIN = "from tests.stacks.shared_cluster import build\n\nbuild()\n"


def make_project(folder: Path) -> Path:
    """A project whose program this is, under the name of a stack that the sandbox knows."""
    folder.mkdir()
    for name in ("Pulumi.yaml", "Pulumi.dev.yaml"):
        shutil.copyfile(PROJECT_FOLDER / name, folder / name)
    (folder / "__main__.py").write_text(_MAIN)
    return folder


def build() -> None:
    google = gcp.Provider("google", project=PROJECT, region=REGION, zone=ZONE)
    opts = pulumi.ResourceOptions(providers=[google])
    services = ("compute", "container", "iam", "cloudresourcemanager", "storage")
    apis = ProjectApis("apis", ProjectApisArgs(project=PROJECT, services=services), opts=opts)
    nodes = NodeServiceAccount(
        "nodes",
        NodeServiceAccountArgs(
            iam_project=apis.project_with("iam"),
            resource_manager_project=apis.project_with("cloudresourcemanager"),
            base_name="shared",
            pool="nodes",
        ),
        opts=opts,
    )
    gke = _cluster(apis, nodes, opts)
    shared = NodePoolArgs(
        project=PROJECT,
        location=gke.location,
        zone=ZONE,
        cluster_name=gke.cluster_name,
        pool_name="shared",
        service_account=nodes.email,
        machine_type="e2-standard-4",
        nodes=1,
        capacity=CapacityArgs(mode="on-demand"),
        disk_type="pd-balanced",
        disk_gb=100,
        max_pods_per_node=32,
        labels=LABELS,
    )
    theirs = replace(shared, pool_name="vision", node_labels={"team": "vision"}, taints=[TAINT])
    NodePool("shared-pool", shared, opts=opts)
    pool = NodePool("vision-pool", replace(theirs, **CHANGES.get("pool", {})), opts=opts)
    bucket = Bucket(
        "data",
        BucketArgs(
            project=PROJECT,
            location=REGION,
            bucket_name="shared-data",
            labels=LABELS,
            hierarchical_namespace=True,
            soft_delete_days=7,
        ),
        opts=pulumi.ResourceOptions(providers=[google], depends_on=[apis]),
    )
    inside = pulumi.ResourceOptions(providers=[google, gke.kubernetes])
    team = TeamArgs(
        team="vision",
        members=[VISION, ADA],
        quota=TeamQuotaArgs(cpu=2000, memory=4096, pods=3, default_cpu=100),
        buckets=[
            TeamBucketArgs(
                key="data", bucket_name=bucket.bucket_name, role="roles/storage.objectUser"
            )
        ],
        project_number=gcp.organizations.get_project_output(
            project_id=PROJECT, opts=pulumi.InvokeOptions(provider=google)
        ).number,
        workload_pool=gke.workload_pool,
        labels=LABELS,
        account_name="team",
    )
    vision = Team("vision", replace(team, **CHANGES.get("team", {})), opts=inside)
    Team("audio", replace(team, team="audio", quota=None, buckets=(), members=[ADA]), opts=inside)
    ClusterViewers(
        "members",
        ClusterViewersArgs(
            resource_manager_project=apis.project_with("cloudresourcemanager"),
            members=[VISION, ADA, ADA],
        ),
        opts=opts,
    )
    _server(vision, gke, pool)


def _cluster(
    apis: ProjectApis, nodes: NodeServiceAccount, opts: pulumi.ResourceOptions
) -> GkeCluster:
    network = ClusterNetwork(
        "network",
        ClusterNetworkArgs(
            project=apis.project_with("compute"),
            region=REGION,
            base_name="shared",
            mtu=1460,
            subnet_range="10.0.0.0/20",
            pods_range="10.8.0.0/16",
            services_range="10.9.0.0/20",
        ),
        opts=opts,
    )
    return GkeCluster(
        "gke",
        GkeClusterArgs(
            project=apis.project_with("container"),
            location=ZONE,
            zone=ZONE,
            cluster_name="shared",
            network_id=network.network_id,
            subnetwork_id=network.subnetwork_id,
            control_plane_range="10.10.1.0/28",
            node_service_account=nodes.email,
            release_channel="REGULAR",
            security_group="gke-security-groups@example.com",
            deletion_protection=False,
            labels=LABELS,
            ray_operator=True,
        ),
        opts=opts,
    )


def _server(team: Team, gke: GkeCluster, pool: NodePool) -> None:
    """A workload of the team on its own pool, one container of which says nothing of itself."""
    labels = {"app": "server"}
    containers = [
        {"name": "main", "image": "busybox", "resources": {"requests": {"cpu": "500m"}}},
        {"name": "beside", "image": "busybox"},
    ]
    pod = {
        "service_account_name": team.service_account,
        "node_selector": {"team": "vision"},
        "tolerations": [toleration(TAINT)],
        "containers": containers,
    }
    spec: Any = {
        "replicas": CHANGES.get("replicas", 2),
        "selector": {"match_labels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }
    k8s.apps.v1.Deployment(
        "server",
        metadata={"name": "server", "namespace": team.namespace},
        spec=spec,
        opts=pulumi.ResourceOptions(provider=gke.kubernetes, depends_on=[pool]),
    )
