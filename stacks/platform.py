"""The part that every stack begins with: APIs, network, cluster and node pools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.apis import ProjectApis, ProjectApisArgs
from components.gke_cluster import AuthorizedNetwork, GkeCluster, GkeClusterArgs
from components.helm_chart import HelmChartArgs
from components.kuberay_operator import KubeRayOperator, KubeRayOperatorArgs
from components.monitoring_dashboard import MonitoringDashboard, MonitoringDashboardArgs
from components.namespace import KubeNamespace, KubeNamespaceArgs
from components.network import ClusterNetwork, ClusterNetworkArgs
from components.node_network import NodeNetwork
from components.node_pool import GpuArgs, NodePool, NodePoolArgs
from components.node_service_account import NodeServiceAccount, NodeServiceAccountArgs
from components.token_secret import TokenSecret, TokenSecretArgs
from stacks.blocks.cluster_stack import ClusterStack
from stacks.blocks.pools import GpuPool
from stacks.blocks.pools import NodePool as NodePoolConfig
from stacks.blocks.ray_stack import RayStack
from stacks.maintenance import maintenance_window
from stacks.parts.pools.capacity import capacity_args

APIS = ("compute", "container", "iam", "cloudresourcemanager", "monitoring")
# The environment variables that programs look for.
VARIABLES = {"hugging_face_token": "HF_TOKEN", "wandb_api_key": "WANDB_API_KEY"}


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """What everything in the project needs: one provider, the APIs, the labels."""

    provider: gcp.Provider
    opts: pulumi.ResourceOptions
    apis: ProjectApis
    labels: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class LustreDriver:
    """The cluster's driver for Managed Lustre; `legacy_port` is the one of older nodes."""

    legacy_port: bool


def cloud(config: ClusterStack, services: tuple[str, ...]) -> Cloud:
    provider = gcp.Provider(
        "google", project=config.project, region=config.region, zone=config.zone
    )
    opts = pulumi.ResourceOptions(providers=[provider])
    apis = ProjectApis(
        "apis", ProjectApisArgs(project=config.project, services=services), opts=opts
    )
    return Cloud(
        provider=provider, opts=opts, apis=apis, labels=config.all_labels(pulumi.get_stack())
    )


def network(config: ClusterStack, on: Cloud) -> ClusterNetwork:
    plan = config.network
    return ClusterNetwork(
        "network",
        ClusterNetworkArgs(
            project=on.apis.project_with("compute"),
            region=config.region,
            base_name=config.name,
            mtu=plan.mtu,
            subnet_range=plan.subnet,
            pods_range=plan.pods,
            services_range=plan.services,
            protect=config.deletion_protection,
        ),
        opts=on.opts,
    )


def node_identity(config: ClusterStack, on: Cloud, pool: str) -> NodeServiceAccount:
    return NodeServiceAccount(
        f"{pool}-nodes",
        NodeServiceAccountArgs(
            iam_project=on.apis.project_with("iam"),
            resource_manager_project=on.apis.project_with("cloudresourcemanager"),
            base_name=config.name,
            pool=pool,
        ),
        opts=on.opts,
    )


def cluster(
    config: ClusterStack,
    on: Cloud,
    net: ClusterNetwork,
    nodes: NodeServiceAccount,
    lustre: LustreDriver | None = None,
    held: Sequence[pulumi.Resource] = (),
) -> GkeCluster:
    """`held` is what nodes hold on to that no input of the cluster names: it outlives it."""
    wanted = config.cluster
    allowed = wanted.authorized_networks
    return GkeCluster(
        "gke",
        GkeClusterArgs(
            project=on.apis.project_with("container"),
            location=config.location,
            zone=config.zone,
            cluster_name=config.cluster_name,
            network_id=net.network_id,
            subnetwork_id=net.subnetwork_id,
            control_plane_range=config.network.control_plane,
            node_service_account=nodes.email,
            release_channel=wanted.release_channel.value,
            version=None if config.gke_version is None else str(config.gke_version),
            authorized_networks=None
            if allowed is None
            else [AuthorizedNetwork(name=it.name, cidr=it.cidr) for it in allowed],
            maintenance_window=maintenance_window(wanted.maintenance),
            autopilot=config.autopilot,
            ray_operator=config.ray_addon,
            custom_metrics="custom_metrics" in config.features(),
            multi_networking=config.multi_networking,
            lustre=lustre is not None,
            lustre_legacy_port=lustre is not None and lustre.legacy_port,
            deletion_protection=config.deletion_protection,
            labels=on.labels,
        ),
        opts=pulumi.ResourceOptions.merge(on.opts, pulumi.ResourceOptions(depends_on=list(held))),
    )


def node_pool(
    config: ClusterStack,
    on: Cloud,
    gke: GkeCluster,
    nodes: NodeServiceAccount,
    name: str,
    pool: NodePoolConfig,
    networks: Sequence[NodeNetwork] = (),
    *,
    kernel_modules: bool = False,
) -> NodePool:
    """`networks` are for the machine's further interfaces, in their order."""
    machine = config.facts.machine(pool.machine_type)
    gpu = None
    if isinstance(pool, GpuPool) and machine.accelerator is not None:
        gpu = GpuArgs(
            type=machine.accelerator.type,
            count=machine.accelerator.count,
            driver=pool.driver_version.api_value,
        )
    return NodePool(
        name,
        NodePoolArgs(
            project=on.apis.project_with("container"),
            location=gke.location,
            zone=config.zone,
            cluster_name=gke.cluster_name,
            pool_name=f"{name}-pool",
            service_account=nodes.email,
            machine_type=pool.machine_type,
            nodes=pool.nodes,
            min_nodes=pool.bounds.min,
            max_nodes=pool.bounds.max,
            capacity=capacity_args(pool.capacity),
            disk_type=machine.default_boot_disk if pool.disk.type is None else pool.disk.type,
            disk_gb=pool.disk.size_gb,
            max_pods_per_node=pool.max_pods_per_node,
            local_ssds=machine.local_ssd.count if machine.local_ssd else 0,
            gpu=gpu,
            additional_networks=networks,
            kernel_modules=kernel_modules,
            placement="COMPACT" if isinstance(pool, GpuPool) and pool.compact_placement else None,
            labels=on.labels,
        ),
        opts=on.opts,
    )


def helm_chart(config: ClusterStack, component: str, version: str | None = None) -> HelmChartArgs:
    """The chart of a component in the version lock, at `version` or the lock's."""
    chart = config.facts.component(component).chart
    # Whatever the lock lets a stack install has one.
    assert chart is not None
    return HelmChartArgs(
        chart=chart.name,
        repository=chart.repository,
        version=config.facts.release(component, version),
    )


def namespace(config: ClusterStack, on: Cloud, gke: GkeCluster) -> pulumi.Input[str]:
    """The namespace's name; made here unless every cluster has it."""
    if config.namespace == "default":
        return config.namespace
    made = KubeNamespace(
        "kube",
        KubeNamespaceArgs(namespace=config.namespace, labels=on.labels),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes]),
    )
    return made.namespace


def ray_operator(
    config: RayStack,
    gke: GkeCluster,
    cpu: pulumi.Input[dict[str, str]],
    labels: dict[str, str],
    needed: Sequence[pulumi.Resource],
) -> list[pulumi.Resource]:
    """KubeRay's operator on the CPU nodes, where it is not GKE's add-on."""
    if config.ray_addon:
        return []
    made = KubeRayOperator(
        "kuberay",
        KubeRayOperatorArgs(chart=helm_chart(config, "kuberay"), node_selector=cpu, labels=labels),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes], depends_on=list(needed)),
    )
    return [made]


def tokens(
    config: ClusterStack,
    on: Cloud,
    gke: GkeCluster,
    where: pulumi.Input[str],
    secrets: Mapping[str, pulumi.Output[str]],
) -> TokenSecret | None:
    if not secrets:
        return None
    return TokenSecret(
        "tokens",
        TokenSecretArgs(
            namespace=where,
            secret_name=config.tokens_name,
            tokens={VARIABLES[name]: value for name, value in secrets.items()},
            labels=on.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes]),
    )


def dashboard(
    config: ClusterStack, on: Cloud, *, tpus: bool = False, lustre_instance: str | None = None
) -> MonitoringDashboard | None:
    if not config.monitoring.dashboard:
        return None
    shown = "TPUs" if tpus else "GPUs"
    if lustre_instance is not None:
        shown = f"Lustre and {shown}"
    return MonitoringDashboard(
        "monitoring",
        MonitoringDashboardArgs(
            project=on.apis.project_with("monitoring"),
            title=f"{config.name}: {shown}",
            cluster_name=config.cluster_name,
            zone=config.zone,
            tpus=tpus,
            lustre_instance=lustre_instance,
            labels=on.labels,
        ),
        opts=on.opts,
    )
