"""A GKE Standard cluster for Ray and accelerators, and the way into it for Kubernetes resources.

Leaves out node pools: the pool that GKE insists on is removed as soon as the cluster stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from components.kubeconfig import kubeconfig
from components.lifecycle import child_of, fixed_name
from components.naming import NameKind, check_name
from components.network import PODS_RANGE, SERVICES_RANGE

_LOGS = ["SYSTEM_COMPONENTS", "WORKLOADS"]
_METRICS = ["SYSTEM_COMPONENTS", "POD", "CADVISOR", "KUBELET", "STORAGE", "DCGM"]
_OAUTH_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
# The provider waits 40 minutes. A regional control plane with add-ons, then the removal of the
# first pool, have been seen to take longer on a busy day.
_MINUTES = 60


@dataclass(frozen=True, kw_only=True)
class AuthorizedNetwork:
    name: str
    cidr: str


@dataclass(frozen=True, kw_only=True)
class MaintenanceWindow:
    """`start` and `end` are RFC 3339 times, `recurrence` an RFC 5545 rule."""

    start: str
    end: str
    recurrence: str


@dataclass(frozen=True, kw_only=True)
class GkeClusterArgs:
    """`location` is a region or a zone; nodes stand in `zone` either way.

    `node_service_account` is for the first pool, which lives for minutes: without one it takes the
    project's default account, which hardened projects do not have.
    """

    project: pulumi.Input[str]
    location: str
    zone: str
    cluster_name: str
    network_id: pulumi.Input[str]
    subnetwork_id: pulumi.Input[str]
    control_plane_range: pulumi.Input[str]
    node_service_account: pulumi.Input[str]
    release_channel: pulumi.Input[str]
    version: pulumi.Input[str] | None = None
    authorized_networks: Sequence[AuthorizedNetwork] | None = None
    maintenance_window: MaintenanceWindow | None = None
    lustre: bool = False
    lustre_legacy_port: bool = False
    deletion_protection: bool = True
    labels: pulumi.Input[dict[str, str]]


class GkeCluster(pulumi.ComponentResource):
    """`kubernetes` is the provider for resources in the cluster, made from its outputs alone."""

    cluster_name: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    location: pulumi.Output[str]

    def __init__(
        self, name: str, args: GkeClusterArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:gke_cluster:GkeCluster", name, None, opts)
        cluster = gcp.container.Cluster(
            f"{name}-cluster",
            project=args.project,
            name=check_name(NameKind.CLUSTER, args.cluster_name),
            location=args.location,
            # One zone: the accelerators, and Lustre, are in no other.
            node_locations=None if args.location == args.zone else [args.zone],
            network=args.network_id,
            subnetwork=args.subnetwork_id,
            networking_mode="VPC_NATIVE",
            datapath_provider="ADVANCED_DATAPATH",
            ip_allocation_policy={
                "cluster_secondary_range_name": PODS_RANGE,
                "services_secondary_range_name": SERVICES_RANGE,
            },
            private_cluster_config={
                "enable_private_nodes": True,
                "enable_private_endpoint": False,
                "master_ipv4_cidr_block": args.control_plane_range,
            },
            master_authorized_networks_config=_authorized(args.authorized_networks),
            release_channel={"channel": args.release_channel},
            min_master_version=args.version,
            maintenance_policy=_maintenance(args.maintenance_window),
            workload_identity_config={
                "workload_pool": pulumi.Output.concat(args.project, ".svc.id.goog")
            },
            enable_shielded_nodes=True,
            addons_config=_addons(args),
            logging_config={"enable_components": _LOGS},
            monitoring_config={
                "enable_components": _METRICS,
                "managed_prometheus": {"enabled": True},
            },
            remove_default_node_pool=True,
            initial_node_count=1,
            node_config={
                "service_account": args.node_service_account,
                "oauth_scopes": [_OAUTH_SCOPE],
                "shielded_instance_config": {
                    "enable_integrity_monitoring": True,
                    "enable_secure_boot": True,
                },
            },
            deletion_protection=args.deletion_protection,
            resource_labels=args.labels,
            # The first pool is gone after the create, so what the provider reads back differs
            # from what was asked for, and node_config forces a replacement of the whole cluster.
            opts=fixed_name(
                self,
                minutes=_MINUTES,
                protect=args.deletion_protection,
                ignore_changes=["node_config", "initial_node_count"],
            ),
        )
        self.cluster_name = cluster.name
        self.endpoint = cluster.endpoint
        self.location = cluster.location
        self.kubernetes = k8s.Provider(
            f"{name}-kubernetes",
            kubeconfig=pulumi.Output.all(
                cluster.name,
                cluster.endpoint,
                cluster.master_auth.apply(lambda auth: auth.cluster_ca_certificate),
            ).apply(lambda parts: kubeconfig(parts[0], parts[1], parts[2] or "")),
            # Launchers and rotated tokens change in place; replaced, they would take the Ray
            # cluster that mounts them along.
            enable_config_map_mutable=True,
            enable_secret_mutable=True,
            opts=child_of(self),
        )
        self.register_outputs(
            {
                "cluster_name": self.cluster_name,
                "endpoint": self.endpoint,
                "location": self.location,
            }
        )


def _addons(args: GkeClusterArgs) -> gcp.container.ClusterAddonsConfigArgsDict:
    addons: gcp.container.ClusterAddonsConfigArgsDict = {
        "gcs_fuse_csi_driver_config": {"enabled": True},
        "gce_persistent_disk_csi_driver_config": {"enabled": True},
        "ray_operator_configs": [
            {
                "enabled": True,
                "ray_cluster_logging_config": {"enabled": True},
                "ray_cluster_monitoring_config": {"enabled": True},
            }
        ],
    }
    if args.lustre:
        addons["lustre_csi_driver_config"] = {"enabled": True}
    if args.lustre and args.lustre_legacy_port:
        # Nodes of older versions speak to Lustre on another port than instances do by default.
        addons["lustre_csi_driver_config"] = {"enabled": True, "enable_legacy_lustre_port": True}
    return addons


def _authorized(
    networks: Sequence[AuthorizedNetwork] | None,
) -> gcp.container.ClusterMasterAuthorizedNetworksConfigArgsDict | None:
    if networks is None:
        return None
    return {"cidr_blocks": [{"cidr_block": net.cidr, "display_name": net.name} for net in networks]}


def _maintenance(
    window: MaintenanceWindow | None,
) -> gcp.container.ClusterMaintenancePolicyArgsDict | None:
    if window is None:
        return None
    return {
        "recurring_window": {
            "start_time": window.start,
            "end_time": window.end,
            "recurrence": window.recurrence,
        }
    }
