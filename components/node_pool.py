"""A node pool: plain machines, or machines with GPUs that GKE installs the driver on.

GKE itself taints GPU nodes (nvidia.com/gpu) and labels them. Leaves out the nodes' identity and
the networks that they are in.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.capacity import RESERVATION_KEY, CapacityArgs
from components.lifecycle import fixed_name
from components.naming import NameKind, check_name
from components.node_network import NodeNetwork

_OAUTH_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
# The provider gives up after 30 minutes; eight machines with scarce accelerators, their drivers and
# a queue for capacity take longer, and a pool given up on is left half made.
_MINUTES = 90


@dataclass(frozen=True, kw_only=True)
class GpuArgs:
    """`driver` is the provider's word: DEFAULT, LATEST or INSTALLATION_DISABLED."""

    type: str
    count: int
    driver: str


@dataclass(frozen=True, kw_only=True)
class NodePoolArgs:
    """`placement` is the provider's word: COMPACT puts the nodes close together.

    `nodes` and `min_nodes` count where machines are there from the start; a pool whose machines
    come on request begins, and may end, with none.
    """

    project: pulumi.Input[str]
    location: pulumi.Input[str]
    zone: str
    cluster_name: pulumi.Input[str]
    pool_name: str
    service_account: pulumi.Input[str]
    machine_type: pulumi.Input[str]
    nodes: int
    min_nodes: int
    max_nodes: int
    capacity: CapacityArgs
    disk_type: pulumi.Input[str]
    disk_gb: pulumi.Input[int]
    max_pods_per_node: int
    local_ssds: int = 0
    gpu: GpuArgs | None = None
    additional_networks: Sequence[NodeNetwork] = ()
    placement: str | None = None
    labels: pulumi.Input[dict[str, str]]


class NodePool(pulumi.ComponentResource):
    """`node_selector` picks this pool's nodes, known once the pool stands."""

    pool_name: pulumi.Output[str]
    node_selector: pulumi.Output[dict[str, str]]

    def __init__(
        self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:node_pool:NodePool", name, None, opts)
        capacity = args.capacity
        pool = gcp.container.NodePool(
            f"{name}-pool",
            project=args.project,
            location=args.location,
            node_locations=[args.zone],
            cluster=args.cluster_name,
            name=check_name(NameKind.NODE_POOL, args.pool_name),
            initial_node_count=0 if capacity.on_request else args.nodes,
            autoscaling={
                "total_min_node_count": 0 if capacity.on_request else args.min_nodes,
                "total_max_node_count": args.max_nodes,
                "location_policy": "ANY",
            },
            max_pods_per_node=args.max_pods_per_node,
            node_config=_node_config(args),
            network_config=_network_config(args.additional_networks),
            placement_policy=None if args.placement is None else {"type": args.placement},
            queued_provisioning={"enabled": True} if capacity.queued else None,
            # A machine on request is not repaired: it is given back, and another asked for.
            management={"auto_repair": not capacity.on_request, "auto_upgrade": True},
            upgrade_settings=_upgrade(args),
            # The count at birth says nothing once the autoscaler runs, and a change of it would
            # replace the pool with all its machines.
            opts=fixed_name(self, minutes=_MINUTES, ignore_changes=["initial_node_count"]),
        )
        self.pool_name = pool.name
        if args.gpu is None:
            self.node_selector = pool.name.apply(lambda it: {"cloud.google.com/gke-nodepool": it})
        else:
            gpu_type = args.gpu.type
            self.node_selector = pool.name.apply(
                lambda _: {"cloud.google.com/gke-accelerator": gpu_type}
            )
        self.register_outputs({"pool_name": self.pool_name, "node_selector": self.node_selector})


def _node_config(args: NodePoolArgs) -> gcp.container.NodePoolNodeConfigArgsDict:
    config: gcp.container.NodePoolNodeConfigArgsDict = {
        "machine_type": args.machine_type,
        "spot": args.capacity.spot,
        "disk_type": args.disk_type,
        "disk_size_gb": args.disk_gb,
        "service_account": args.service_account,
        "oauth_scopes": [_OAUTH_SCOPE],
        "resource_labels": args.labels,
        "gvnic": {"enabled": True},
        "workload_metadata_config": {"mode": "GKE_METADATA"},
        # Secure boot stays off where kernel modules have to load: GPU drivers, the Lustre client.
        "shielded_instance_config": {
            "enable_integrity_monitoring": True,
            "enable_secure_boot": args.gpu is None,
        },
    }
    _add_capacity(config, args.capacity)
    if args.local_ssds:
        config["ephemeral_storage_local_ssd_config"] = {"local_ssd_count": args.local_ssds}
    if args.gpu is not None:
        config["guest_accelerators"] = [
            {
                "type": args.gpu.type,
                "count": args.gpu.count,
                "gpu_driver_installation_config": {"gpu_driver_version": args.gpu.driver},
            }
        ]
    return config


def _add_capacity(config: gcp.container.NodePoolNodeConfigArgsDict, capacity: CapacityArgs) -> None:
    if capacity.on_request:
        config["flex_start"] = True
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


def _network_config(
    networks: Sequence[NodeNetwork],
) -> gcp.container.NodePoolNetworkConfigArgsDict | None:
    if not networks:
        return None
    return {
        # Left out of this block, it reaches GKE as false and gives the nodes public addresses.
        "enable_private_nodes": True,
        "additional_node_network_configs": [
            {"network": one.network, "subnetwork": one.subnetwork} for one in networks
        ],
    }


def _upgrade(args: NodePoolArgs) -> gcp.container.NodePoolUpgradeSettingsArgsDict | None:
    # GKE upgrades machines on request in a way of their own, SHORT_LIVED, that the provider
    # refuses to be told of.
    if args.capacity.on_request:
        return None
    # A surge needs one more machine than the pool has; for scarce accelerators there is none to be
    # had, and the upgrade would wait for it for ever.
    surge = 1 if args.gpu is None else 0
    return {"strategy": "SURGE", "max_surge": surge, "max_unavailable": 1 - surge}
