"""A Ray cluster whose head keeps its state in Redis: no config of the stacks has it yet."""

import pulumi
import pulumi_gcp as gcp

from components.apis import ProjectApis, ProjectApisArgs
from components.capacity import CapacityArgs, CapacityMode
from components.gke_cluster import GkeCluster, GkeClusterArgs
from components.namespace import KubeNamespace, KubeNamespaceArgs
from components.network import ClusterNetwork, ClusterNetworkArgs
from components.node_pool import NodePool, NodePoolArgs
from components.node_service_account import NodeServiceAccount, NodeServiceAccountArgs
from components.ray_cluster import RayCluster, RayClusterArgs, RayPodArgs, RayWorkersArgs
from components.ray_fault_tolerance import PASSWORD_KEY, RayFaultToleranceArgs
from components.ray_manifest import WORKER_GROUP
from components.redis_instance import RedisInstance, RedisInstanceArgs, RedisTier
from components.token_secret import TokenSecret, TokenSecretArgs

NAME = "ray-state"
LABELS = {"stack": NAME}

wanted = pulumi.Config()
place = pulumi.Config("gcp")
project, region, zone = (place.require(key) for key in ("project", "region", "zone"))
google = gcp.Provider("google", project=project, region=region, zone=zone)
on_google = pulumi.ResourceOptions(providers=[google])
apis = ProjectApis(
    "apis",
    ProjectApisArgs(
        project=project,
        services=["compute", "container", "iam", "cloudresourcemanager", "redis"],
    ),
    opts=on_google,
)
network = ClusterNetwork(
    "network",
    ClusterNetworkArgs(
        project=apis.project_with("compute"),
        region=region,
        base_name=NAME,
        mtu=8896,
        subnet_range="10.0.0.0/20",
        pods_range="10.4.0.0/16",
        services_range="10.8.0.0/20",
    ),
    opts=on_google,
)
redis = RedisInstance(
    "redis",
    RedisInstanceArgs(
        project=apis.project_with("redis"),
        region=region,
        zone=zone,
        instance_name=NAME,
        network_id=network.network_id,
        tier=RedisTier(wanted.require("tier")),
        memory_gib=wanted.require_int("memory_gib"),
        redis_version="REDIS_7_2",
        address_range=wanted.require("range"),
        labels=LABELS,
    ),
    opts=on_google,
)
identity = NodeServiceAccount(
    "nodes",
    NodeServiceAccountArgs(
        iam_project=apis.project_with("iam"),
        resource_manager_project=apis.project_with("cloudresourcemanager"),
        base_name=NAME,
        pool="cpu",
    ),
    opts=on_google,
)
gke = GkeCluster(
    "gke",
    GkeClusterArgs(
        project=apis.project_with("container"),
        location=zone,
        zone=zone,
        cluster_name=NAME,
        network_id=network.network_id,
        subnetwork_id=network.subnetwork_id,
        control_plane_range="10.9.0.0/28",
        node_service_account=identity.email,
        release_channel="RAPID",
        deletion_protection=False,
        labels=LABELS,
    ),
    opts=on_google,
)
pool = NodePool(
    "cpu",
    NodePoolArgs(
        project=apis.project_with("container"),
        location=gke.location,
        zone=zone,
        cluster_name=gke.cluster_name,
        pool_name="cpu-pool",
        service_account=identity.email,
        machine_type="e2-standard-4",
        nodes=2,
        min_nodes=2,
        max_nodes=2,
        capacity=CapacityArgs(mode=CapacityMode.ON_DEMAND),
        disk_type="pd-balanced",
        disk_gb=100,
        max_pods_per_node=64,
        labels=LABELS,
    ),
    opts=on_google,
)
on_kubernetes = pulumi.ResourceOptions(providers=[gke.kubernetes])
kube = KubeNamespace("kube", KubeNamespaceArgs(namespace="ml", labels=LABELS), opts=on_kubernetes)
password = TokenSecret(
    "redis-password",
    TokenSecretArgs(
        namespace=kube.namespace,
        secret_name="redis-password",
        tokens={PASSWORD_KEY: redis.auth_string},
        labels=LABELS,
    ),
    opts=on_kubernetes,
)
pod = RayPodArgs(
    cpu_request_millicores=1000,
    cpu_limit_millicores=2000,
    memory_request_gib=2,
    memory_limit_gib=4,
    shm_gib=1,
    node_selector=pool.node_selector,
)
tolerance = RayFaultToleranceArgs(redis_address=redis.address, secret_name=password.secret_name)
RayCluster(
    "ray",
    RayClusterArgs(
        namespace=kube.namespace,
        cluster_name=NAME,
        ray_version="2.54.0",
        image=wanted.require("image"),
        head=pod,
        workers={WORKER_GROUP: RayWorkersArgs(pod=pod, count=wanted.require_int("workers"))},
        held=[redis.instance, pool.pool],
        fault_tolerance=tolerance if wanted.require_bool("tolerant") else None,
        labels=LABELS,
    ),
    opts=on_kubernetes,
)
