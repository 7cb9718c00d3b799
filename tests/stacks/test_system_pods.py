"""A program of someone else, whose cluster has machines with GPUs alone, under the real engine."""

from __future__ import annotations

from pathlib import Path

import pulumi

from components.base.capacity import CapacityArgs
from components.cluster.cluster import GkeCluster, GkeClusterArgs
from components.network.network import ClusterNetwork, ClusterNetworkArgs
from components.pools.node_pool import GpuArgs, NodePool, NodePoolArgs
from components.pools.node_service_account import NodeServiceAccount, NodeServiceAccountArgs
from components.project.apis import ProjectApis, ProjectApisArgs
from tests.stacks.program_sandbox import ProgramSandbox

_PROJECT = "my-project"


def program() -> None:
    services = (
        api
        for it in (ClusterNetwork, NodeServiceAccount, GkeCluster, NodePool)
        for api in it.required_apis()
    )
    apis = ProjectApis("apis", ProjectApisArgs(project=_PROJECT, services=[*services]))
    network = ClusterNetwork(
        "net",
        ClusterNetworkArgs(
            project=_PROJECT,
            apis=apis,
            region="us-central1",
            base_name="demo",
            mtu=1460,
            subnet_range="10.0.0.0/20",
            pods_range="10.8.0.0/16",
            services_range="10.9.0.0/20",
        ),
    )
    account = NodeServiceAccount(
        "nodes", NodeServiceAccountArgs(project=_PROJECT, apis=apis, base_name="demo", pool="l4")
    )
    cluster = GkeCluster(
        "gke",
        GkeClusterArgs(
            project=_PROJECT,
            apis=apis,
            location="us-central1",
            zone="us-central1-a",
            cluster_name="demo",
            network_id=network.network_id,
            subnetwork_id=network.subnetwork_id,
            control_plane_range="172.16.0.0/28",
            node_service_account=account.email,
            release_channel="REGULAR",
            ray_operator=False,
            deletion_protection=False,
            labels={},
        ),
    )
    NodePool(
        "l4",
        NodePoolArgs(
            project=_PROJECT,
            apis=apis,
            location=cluster.location,
            zone="us-central1-a",
            cluster_name=cluster.cluster_name,
            pool_name="l4-pool",
            service_account=account.email,
            machine_type="g2-standard-4",
            nodes=1,
            capacity=CapacityArgs(mode="spot"),
            disk_type="pd-balanced",
            disk_gb=100,
            max_pods_per_node=32,
            gpu=GpuArgs(type="nvidia-l4", count=1, driver="LATEST"),
            tainted=pulumi.Config().get_bool("tainted") is not False,
            labels={},
        ),
    )


def test_a_preview_refuses_a_cluster_with_no_node_for_kube_dns(tmp_path: Path) -> None:
    stack = ProgramSandbox(tmp_path, "l4", __name__)
    refused = stack.run("preview")
    assert not refused.ok
    (problem,) = refused.report.errors
    assert problem.startswith("every node pool of cluster demo is tainted (l4-pool), so kube-dns")
    assert stack.run("preview", tainted="false").ok
