"""What differs between a Standard cluster's inputs and an Autopilot cluster's.

Autopilot is always VPC-native, on Dataplane V2, shielded and with Workload Identity, and makes its
own nodes. The provider refuses to be told some of that (its schema: ConflictsWith
enable_autopilot), so none of it is said.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.lifecycle import not_followed

_OAUTH_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
# Port 10255 of the kubelet asks nobody who they are. Metrics come from port 10250 (GKE
# documentation, "Disable the kubelet read-only port in GKE clusters", read 2026-11-27).
_READ_ONLY_PORT = "FALSE"


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
    node_pool_defaults: gcp.container.ClusterNodePoolDefaultsArgsDict | None = None
    node_pool_auto_config: gcp.container.ClusterNodePoolAutoConfigArgsDict | None = None
    storage_addons: gcp.container.ClusterAddonsConfigArgsDict


def standard(project: pulumi.Input[str], node_service_account: pulumi.Input[str]) -> ClusterMode:
    """The account is for the first pool, which is removed as soon as the cluster stands. Where the
    account is replaced, the cluster stays."""
    return ClusterMode(
        networking_mode="VPC_NATIVE",
        datapath_provider="ADVANCED_DATAPATH",
        workload_identity_config={"workload_pool": pulumi.Output.concat(project, ".svc.id.goog")},
        enable_shielded_nodes=True,
        remove_default_node_pool=True,
        initial_node_count=1,
        node_config={
            "service_account": not_followed(node_service_account),
            "oauth_scopes": [_OAUTH_SCOPE],
            "shielded_instance_config": {
                "enable_integrity_monitoring": True,
                "enable_secure_boot": True,
            },
        },
        # Of pools that come later: GKE leaves those that stand as they are
        # (hashicorp/terraform-provider-google #19520; mozilla/terraform-modules #486), and the
        # provider takes what a pool inherits for no difference
        # (hashicorp/terraform-provider-google-beta node_config.go:795, 93c65b2d). Where Google's
        # answer has none, the provider reads FALSE and sends nothing (:3243).
        node_pool_defaults={
            "node_config_defaults": {"insecure_kubelet_readonly_port_enabled": _READ_ONLY_PORT}
        },
        storage_addons={
            "gcs_fuse_csi_driver_config": {"enabled": True},
            "gce_persistent_disk_csi_driver_config": {"enabled": True},
        },
    )


def autopilot(
    node_service_account: pulumi.Input[str], kms_key: pulumi.Input[str] | None = None
) -> ClusterMode:
    """The account and the key are for all nodes. Both storage drivers are always there."""
    encrypted: gcp.container.ClusterClusterAutoscalingAutoProvisioningDefaultsArgsDict = (
        {} if kms_key is None else {"boot_disk_kms_key": kms_key}
    )
    return ClusterMode(
        enable_autopilot=True,
        cluster_autoscaling={
            "auto_provisioning_defaults": {
                **encrypted,
                "service_account": node_service_account,
                "oauth_scopes": [_OAUTH_SCOPE],
            }
        },
        node_pool_auto_config={
            "node_kubelet_config": {"insecure_kubelet_readonly_port_enabled": _READ_ONLY_PORT}
        },
        storage_addons={},
    )
