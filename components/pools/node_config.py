"""What every node pool is told, whatever runs on its nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import pulumi
import pulumi_gcp as gcp

from catalog.spot_notice import SpotNotice
from catalog.table import load_table

from ..base.arguments import checked, refuse, zone_in
from ..base.capacity import RESERVATION_KEY, CapacityArgs
from ..base.lifecycle import of_google
from ..base.naming import NameKind, name_is
from ..base.taints import (
    NodeTaintArgs,
    check_node_labels,
    check_node_taints,
    provider_effect,
)
from ..network.node_network import NodeNetwork
from ..project.apis import ProjectArgs
from .labels import DRANET_LABEL, NO_PLUGIN_LABEL

_LEAST_PODS = 8
_MOST_PODS = 256
_TOKEN = "gcp:container/nodePool:NodePool"
# Beside it, where NVIDIA's driver for claims runs, and what the autoscaler knows nodes with it by
# (GKE documentation, "Prepare GKE infrastructure for DRA workloads", read 2026-11-24; llm-d/llm-d
# docs/infra-providers/gke/README.md).
GPU_CLAIM_LABELS = {
    **NO_PLUGIN_LABEL,
    "nvidia.com/gpu.present": "true",
    "cloud.google.com/gke-nvidia-gpu-dra-driver": "true",
}
# Without it the disk is for data that pods mount by a path of the node's (pull request 2580 of
# terraform-google-modules/terraform-google-kubernetes-engine).
IMAGE_CACHE = "CONTAINER_IMAGE_CACHE"
# The nodes stand close together.
COMPACT = "COMPACT"
_OAUTH_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


@dataclass(frozen=True, kw_only=True)
class PoolArgs(ProjectArgs):
    """Inputs that all kinds of pools have; each kind adds its own.

    `node_labels` and `taints` are Kubernetes', for pods to choose by; `labels` are Google's. The
    provider takes node labels off only while others are left: without any it leaves what is there.

    With `managed_interfaces` GKE makes the networks of the further interfaces, for pods to claim,
    and they are none of `additional_networks`. With `image_streaming` containers start while their
    image still comes. `secondary_boot_disk` is a disk image with container
    images, which only nodes that stream read.
    """

    location: pulumi.Input[str]
    zone: str
    cluster_name: pulumi.Input[str]
    pool_name: str
    service_account: pulumi.Input[str]
    machine_type: pulumi.Input[str]
    capacity: CapacityArgs
    disk_type: pulumi.Input[str]
    disk_gb: pulumi.Input[int]
    disk_kms_key: pulumi.Input[str] | None = None
    max_pods_per_node: int
    additional_networks: Sequence[NodeNetwork] = ()
    managed_interfaces: bool = False
    image_streaming: bool = False
    secondary_boot_disk: pulumi.Input[str] | None = None
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])
    node_labels: dict[str, str] = field(default_factory=dict[str, str])
    taints: Sequence[NodeTaintArgs] = ()

    def check(self) -> None:
        name_is("pool_name", NameKind.NODE_POOL, self.pool_name)
        # GKE documentation, "Configure maximum Pods per node".
        if not _LEAST_PODS <= self.max_pods_per_node <= _MOST_PODS:
            near = min(max(self.max_pods_per_node, _LEAST_PODS), _MOST_PODS)
            reason = f"is not between {_LEAST_PODS} and {_MOST_PODS}, which GKE takes"
            refuse("max_pods_per_node", self.max_pods_per_node, reason, near)
        zone_in("zone", self.zone, self.location)
        checked("node_labels", check_node_labels, self.node_labels)
        checked("taints", check_node_taints, self.taints)
        if self.managed_interfaces and self.additional_networks:
            reason = "has GKE make the networks, and there are additional_networks"
            refuse("managed_interfaces", True, reason, "one of the two")
        if self.secondary_boot_disk is not None and not self.image_streaming:
            refuse(
                "secondary_boot_disk",
                "a disk image",
                "is read by image streaming, which is off",
                "image_streaming=True",
            )


class PoolPlace(TypedDict):
    """Where a pool is and what it is called."""

    project: pulumi.Input[str]
    location: pulumi.Input[str]
    node_locations: list[pulumi.Input[str]]
    cluster: pulumi.Input[str]
    name: str


def pool_place(args: PoolArgs) -> PoolPlace:
    return {
        "project": args.project_with("container"),
        "location": args.location,
        "node_locations": [args.zone],
        "cluster": args.cluster_name,
        "name": args.pool_name,
    }


def node_config(
    args: PoolArgs,
    *,
    secure_boot: bool,
    own_labels: Mapping[str, str] | None = None,
    own_taints: Sequence[gcp.container.NodePoolNodeConfigTaintArgsDict] = (),
) -> gcp.container.NodePoolNodeConfigArgsDict:
    """Secure boot is for nodes on which no kernel module has to load; `own_labels` and `own_taints`
    are what a kind of pool has beside the user's.

    Raises ValueError for labels and taints that GKE would refuse.
    """
    config: gcp.container.NodePoolNodeConfigArgsDict = {
        "machine_type": args.machine_type,
        "spot": args.capacity.spot,
        "disk_type": args.disk_type,
        "disk_size_gb": args.disk_gb,
        "service_account": args.service_account,
        "oauth_scopes": [_OAUTH_SCOPE],
        "resource_labels": args.labels,
        "gvnic": {"enabled": True},
        # Left out, it stays as it was (hashicorp/terraform-provider-google node_config.go,
        # schemaGcfsConfig, 2026-11-24).
        "gcfs_config": {"enabled": args.image_streaming},
        "workload_metadata_config": {"mode": "GKE_METADATA"},
        "shielded_instance_config": {
            "enable_integrity_monitoring": True,
            "enable_secure_boot": secure_boot,
        },
    }
    if args.disk_kms_key is not None:
        config["boot_disk_kms_key"] = args.disk_kms_key
    if args.secondary_boot_disk is not None:
        config["secondary_boot_disks"] = [
            {"disk_image": args.secondary_boot_disk, "mode": IMAGE_CACHE}
        ]
    own = {**(DRANET_LABEL if args.managed_interfaces else {}), **(own_labels or {})}
    if labels := check_node_labels(args.node_labels, beside=own):
        config["labels"] = labels
    if taints := [*own_taints, *map(_taint, check_node_taints(args.taints))]:
        config["taints"] = taints
    _add_capacity(config, args.capacity)
    return config


def _taint(taint: NodeTaintArgs) -> gcp.container.NodePoolNodeConfigTaintArgsDict:
    return {"key": taint.key, "value": taint.value, "effect": provider_effect(taint)}


def placed_by(policy: pulumi.Input[str]) -> gcp.container.NodePoolPlacementPolicyArgsDict:
    """The type is the policy's own. GKE takes one here, never gives it back, and the provider then
    has a difference at each run, which remakes the nodes (vllm-project/ci-infra #547 of 2026-09-11;
    GoogleCloudPlatform/magic-modules #17643 of 2026-05-20). `gcloud` sends none with
    `--placement-policy` either."""
    return {"type": "", "policy_name": policy}


# Machines keep the interfaces that they were made with; of a block that comes or goes as a whole
# the engine has to be told.
FIXED_INTERFACES = ("networkConfig",)


def fixed_at_birth(args: PoolArgs, accelerator: str = "none") -> list[str]:
    """What machines have for life and the provider leaves as it is where it is left out: without a
    word of the program's own, a pool would keep its accelerators, and GKE's interfaces, for ever
    (hashicorp/terraform-provider-google-beta node_config.go:316 and
    resource_container_node_pool.go:568, optional and computed, 93c65b2d60)."""
    own = "own" if args.additional_networks else "none"
    return [accelerator, "managed" if args.managed_interfaces else own]


def network_config(args: PoolArgs) -> gcp.container.NodePoolNetworkConfigArgsDict | None:
    """The nodes' further interfaces, in order: plain names, so a pool needs `attached_to`, too; or
    GKE's own profile, of which one pool of one zone is made (google-cloud-container 2.67.0,
    NodeNetworkConfig.accelerator_network_profile).

    Where a network is replaced first, the engine tells the pool's provider that each property which
    depends on it is unknown as a whole, and the provider panics at a `networkConfig` that is
    (hashicorp/terraform-provider-google-beta, resource_container_node_pool.go,
    nodePoolAcceleratorNetworkProfileCustomizeDiff, 93c65b2d60, 2026-08-21).
    """
    networks = args.additional_networks
    if args.managed_interfaces:
        return {"enable_private_nodes": True, "accelerator_network_profile": "auto"}
    if not networks:
        return None
    return {
        # Left out of this block, it reaches GKE as false and gives the nodes public addresses.
        "enable_private_nodes": True,
        "additional_node_network_configs": [
            {"network": one.network, "subnetwork": one.subnetwork} for one in networks
        ],
    }


def attached_to(networks: Sequence[NodeNetwork]) -> list[pulumi.Resource]:
    """What a pool waits for, and is replaced with: its interfaces are fixed at birth."""
    return list(dict.fromkeys(one for network in networks for one in network.made))


def management(capacity: CapacityArgs) -> gcp.container.NodePoolManagementArgsDict:
    """A machine on request is not repaired: it is given back, and another asked for."""
    return {"auto_repair": not capacity.on_request, "auto_upgrade": True}


def pool_timeouts(nodes: int, most: int) -> pulumi.CustomTimeouts:
    """Of a pool that is made with so many nodes and has so many at most, which are made anew one
    after the other."""
    bounds = {"totalMinNodeCount": min(nodes, most), "totalMaxNodeCount": most}
    return of_google(_TOKEN, {"initialNodeCount": nodes, "autoscaling": bounds})


def upgrade_settings(
    capacity: CapacityArgs, *, surge: int
) -> gcp.container.NodePoolUpgradeSettingsArgsDict | None:
    """One node at a time: beside it (a surge of 1), or in its place (0)."""
    # GKE upgrades machines on request in a way of their own, SHORT_LIVED, that the provider
    # refuses to be told of.
    if capacity.on_request:
        return None
    return {"strategy": "SURGE", "max_surge": surge, "max_unavailable": 1 - surge}


def _add_capacity(config: gcp.container.NodePoolNodeConfigArgsDict, capacity: CapacityArgs) -> None:
    if capacity.on_request:
        config["flex_start"] = True
    if capacity.grace_seconds is not None:
        config["kubelet_config"] = {
            "shutdown_grace_period_seconds": capacity.grace_seconds,
            "shutdown_grace_period_critical_pods_seconds": load_table(
                SpotNotice, "spot_notice"
            ).critical,
        }
    if capacity.max_run_duration is not None:
        config["max_run_duration"] = capacity.max_run_duration
    if capacity.reservation_type is not None:
        config["reservation_affinity"] = {"consume_reservation_type": capacity.reservation_type}
    if capacity.reservation is not None:
        config["reservation_affinity"] = {
            "consume_reservation_type": capacity.reservation_type or "",
            "key": RESERVATION_KEY,
            "values": [capacity.reservation.value],
        }
