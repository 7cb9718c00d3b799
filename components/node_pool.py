"""A node pool: plain machines, or machines with GPUs that GKE installs the driver on.

GKE labels GPU nodes, and taints them if the cluster has others when the pool is made: here pools
are made side by side, so the pool has the taint by itself. Leaves out the nodes' identity and the
networks that they are in.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.lifecycle import fixed_name
from components.node_config import (
    FIXED_INTERFACES,
    GPU_CLAIM_LABELS,
    POOL_MINUTES,
    PoolArgs,
    attached_to,
    management,
    network_config,
    node_config,
    pool_place,
    upgrade_settings,
)


@dataclass(frozen=True, kw_only=True)
class GpuArgs:
    """`driver` is the provider's word: DEFAULT, LATEST or INSTALLATION_DISABLED. `claimed` are
    those that pods claim, of NVIDIA's driver for that: GKE then installs neither driver nor device
    plug-in."""

    type: str
    count: int
    driver: str
    claimed: bool = False


@dataclass(frozen=True, kw_only=True)
class NodePoolArgs(PoolArgs):
    """`placement` is the provider's word: COMPACT puts the nodes close together; with `policy`, the
    name of a workload policy, as that one says.

    `nodes` and `min_nodes` count where machines are there from the start; a pool whose machines
    come on request begins, and may end, with none. `kernel_modules` are some that are not Google's
    own, such as the Lustre client.
    """

    nodes: int
    min_nodes: int
    max_nodes: int
    local_ssds: int = 0
    gpu: GpuArgs | None = None
    placement: str | None = None
    policy: pulumi.Input[str] | None = None
    kernel_modules: bool = False


_WITHOUT_DRIVER = "INSTALLATION_DISABLED"
# What GKE's own taint is (GKE documentation, "Run GPUs in Standard node pools"; the same in
# GoogleCloudPlatform/cluster-toolkit, modules/compute/gke-node-pool/main.tf). The provider compares
# taints by the keys that it was given, so GKE's own is no difference.
_GPU_TAINT: gcp.container.NodePoolNodeConfigTaintArgsDict = {
    "key": "nvidia.com/gpu",
    "value": "present",
    "effect": "NO_SCHEDULE",
}


class NodePool(pulumi.ComponentResource):
    """`node_selector` picks this pool's nodes, known once the pool stands."""

    pool: gcp.container.NodePool
    pool_name: pulumi.Output[str]
    node_selector: pulumi.Output[dict[str, str]]

    def __init__(
        self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:node_pool:NodePool", name, None, opts)
        capacity = args.capacity
        attached = attached_to(args.additional_networks)
        pool = gcp.container.NodePool(
            f"{name}-pool",
            **pool_place(args),
            initial_node_count=0 if capacity.on_request else args.nodes,
            autoscaling={
                "total_min_node_count": 0 if capacity.on_request else args.min_nodes,
                "total_max_node_count": args.max_nodes,
                "location_policy": "ANY",
            },
            max_pods_per_node=args.max_pods_per_node,
            node_config=_node_config(args),
            network_config=network_config(args),
            placement_policy=_placed(args),
            queued_provisioning={"enabled": True} if capacity.queued else None,
            management=management(capacity),
            # A surge needs one more machine than the pool has; for scarce accelerators there is
            # none to be had, and the upgrade would wait for it for ever.
            upgrade_settings=upgrade_settings(capacity, surge=1 if args.gpu is None else 0),
            # The count at birth says nothing once the autoscaler runs, and a change of it would
            # replace the pool with all its machines.
            opts=fixed_name(
                self,
                minutes=POOL_MINUTES,
                ignore_changes=["initial_node_count"],
                replace_with=attached,
                replace_on_changes=FIXED_INTERFACES,
                depends_on=attached,
            ),
        )
        self.pool = pool
        self.pool_name = pool.name
        if args.gpu is None:
            self.node_selector = pool.name.apply(lambda it: {"cloud.google.com/gke-nodepool": it})
        else:
            gpu_type = args.gpu.type
            self.node_selector = pool.name.apply(
                lambda _: {"cloud.google.com/gke-accelerator": gpu_type}
            )
        self.register_outputs(
            {
                "pool": self.pool,
                "pool_name": self.pool_name,
                "node_selector": self.node_selector,
            }
        )


def _placed(args: NodePoolArgs) -> gcp.container.NodePoolPlacementPolicyArgsDict | None:
    if args.policy is not None:
        return {"type": "COMPACT", "policy_name": args.policy}
    return None if args.placement is None else {"type": args.placement}


def _node_config(args: NodePoolArgs) -> gcp.container.NodePoolNodeConfigArgsDict:
    # Secure boot lets no GPU driver load, and no Lustre client: see docs/installation.md of
    # GoogleCloudPlatform/lustre-csi-driver.
    config = node_config(
        args,
        secure_boot=args.gpu is None and not args.kernel_modules,
        own_labels=GPU_CLAIM_LABELS if args.gpu is not None and args.gpu.claimed else None,
        own_taints=[] if args.gpu is None else [_GPU_TAINT],
    )
    if args.local_ssds:
        # Also where the disks come with the machine: GKE gives their number back, and against
        # none the provider replaces the pool (hashicorp/terraform-provider-google issue 17068).
        # With it there is nothing to replace (GoogleCloudPlatform/cluster-toolkit, pull request
        # 2968). Ignored, it would stay that of the old machine type when the pool gets another.
        config["ephemeral_storage_local_ssd_config"] = {"local_ssd_count": args.local_ssds}
    if args.gpu is not None:
        config["guest_accelerators"] = [
            {
                "type": args.gpu.type,
                "count": args.gpu.count,
                "gpu_driver_installation_config": {
                    "gpu_driver_version": _WITHOUT_DRIVER if args.gpu.claimed else args.gpu.driver
                },
            }
        ]
    return config
