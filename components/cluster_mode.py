"""What differs between a Standard cluster's inputs and an Autopilot cluster's.

Autopilot is always VPC-native, on Dataplane V2, shielded and with Workload Identity, and makes its
own nodes. The provider refuses to be told some of that (its schema: ConflictsWith
enable_autopilot), so none of it is said.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

_OAUTH_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


@dataclass(frozen=True, kw_only=True)
class ClusterMode:
    """Fields are inputs of the provider's Cluster; None leaves one out."""

    enable_autopilot: bool | None = None
    networking_mode: str | None = None
    datapath_provider: str | None = None
    workload_identity_config: gcp.container.ClusterWorkloadIdentityConfigArgsDict | None = None
    enable_shielded_nodes: bool | None = None
    remove_default_node_pool: bool | None = None
    initial_node_count: int | None = None
    node_config: gcp.container.ClusterNodeConfigArgsDict | None = None
    cluster_autoscaling: gcp.container.ClusterClusterAutoscalingArgsDict | None = None
    storage_addons: gcp.container.ClusterAddonsConfigArgsDict


def standard(project: pulumi.Input[str], node_service_account: pulumi.Input[str]) -> ClusterMode:
    """The account is for the first pool, which is removed as soon as the cluster stands."""
    return ClusterMode(
        networking_mode="VPC_NATIVE",
        datapath_provider="ADVANCED_DATAPATH",
        workload_identity_config={"workload_pool": pulumi.Output.concat(project, ".svc.id.goog")},
        enable_shielded_nodes=True,
        remove_default_node_pool=True,
        initial_node_count=1,
        node_config={
            "service_account": node_service_account,
            "oauth_scopes": [_OAUTH_SCOPE],
            "shielded_instance_config": {
                "enable_integrity_monitoring": True,
                "enable_secure_boot": True,
            },
        },
        storage_addons={
            "gcs_fuse_csi_driver_config": {"enabled": True},
            "gce_persistent_disk_csi_driver_config": {"enabled": True},
        },
    )


def autopilot(node_service_account: pulumi.Input[str]) -> ClusterMode:
    """The account is for all nodes. Both storage drivers are always there."""
    return ClusterMode(
        enable_autopilot=True,
        cluster_autoscaling={
            "auto_provisioning_defaults": {
                "service_account": node_service_account,
                "oauth_scopes": [_OAUTH_SCOPE],
            }
        },
        storage_addons={},
    )
