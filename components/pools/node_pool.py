"""A node pool: plain machines, or machines with GPUs that GKE installs the driver on.

GKE labels GPU nodes, and taints them if the cluster has others when the pool is made: here pools
are made side by side, so the pool has the taint by itself, unless it is to have none. Leaves out
the nodes' identity and the networks that they are in.
"""

import re
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import at_least, one_of, refuse, within
from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.tokens import formerly
from .labels import GKE_ACCELERATOR, NO_PLUGIN_LABEL, POOL_LABEL
from .node_config import (
    COMPACT,
    FIXED_INTERFACES,
    GPU_CLAIM_LABELS,
    PoolArgs,
    attached_to,
    fixed_at_birth,
    management,
    network_config,
    node_config,
    placed_by,
    pool_place,
    pool_timeouts,
    upgrade_settings,
)

# The provider's own word for each.
_DRIVERS = ("DEFAULT", "LATEST", "INSTALLATION_DISABLED")
_GPU_TYPE = re.compile(r"nvidia-[a-z0-9-]+")


@dataclass(frozen=True, kw_only=True)
class GpuArgs:
    """`driver` is the provider's word: DEFAULT, LATEST or INSTALLATION_DISABLED. `claimed` are
    those that pods claim, of NVIDIA's driver for that: GKE then installs neither driver nor device
    plug-in; nor does it where NVIDIA's GPU Operator has the nodes, which are `operated`."""

    type: str
    count: int
    driver: str
    claimed: bool = False
    operated: bool = False

    def check(self) -> None:
        if not _GPU_TYPE.fullmatch(self.type):
            near = f"nvidia-{re.sub('[^a-z0-9]+', '-', self.type.lower()).strip('-') or 'l4'}"
            refuse("type", self.type, "is not a name that GKE has for GPUs", near)
        at_least("count", self.count, 1, "is no number of GPUs for a machine")
        one_of("driver", self.driver, _DRIVERS, f"is none of {', '.join(_DRIVERS)}")
        if self.claimed and self.operated:
            refuse("operated", True, "and claimed are two drivers for one GPU", "one of the two")

    @property
    def labels(self) -> dict[str, str]:
        if self.claimed:
            return GPU_CLAIM_LABELS
        return NO_PLUGIN_LABEL if self.operated else {}


@dataclass(frozen=True, kw_only=True)
class NodeBoundsArgs:
    """Fewest and most nodes that GKE's autoscaler may leave in a pool."""

    min: int
    max: int

    def check(self) -> None:
        at_least("min", self.min, 0, "is no number of nodes")
        within("min", self.min, self.max, "max")


@dataclass(frozen=True, kw_only=True)
class NodePoolArgs(PoolArgs):
    """`placement` is the provider's word: COMPACT puts the nodes close together; with `policy`, the
    name of a workload policy, as that one says.

    Without `bounds` the pool has `nodes` nodes at all times. With `bounds` the pool begins with
    `nodes`, and GKE's autoscaler adds a node when a pod is pending. `kernel_modules` are some that
    are not Google's own, such as the Lustre client.

    Machines with GPUs are `tainted`, so that only pods that ask for GPUs come onto them. A cluster
    needs nodes without a taint, too, or kube-dns and GKE's other pods have none.
    """

    nodes: int
    bounds: NodeBoundsArgs | None = None
    local_ssds: int = 0
    gpu: GpuArgs | None = None
    placement: str | None = None
    policy: pulumi.Input[str] | None = None
    kernel_modules: bool = False
    tainted: bool = True

    def check(self) -> None:
        PoolArgs.check(self)
        at_least("nodes", self.nodes, 0, "is no number of nodes")
        at_least("local_ssds", self.local_ssds, 0, "is no number of disks")
        if self.capacity.on_request and (self.nodes or self.bounds is None):
            most = self.nodes if self.bounds is None else self.bounds.max
            refuse(
                "nodes",
                self.nodes,
                f"cannot be there from the start, for {self.capacity.mode} machines come when pods "
                "are pending",
                f"nodes=0, bounds=NodeBoundsArgs(min=0, max={most})",
            )
        if self.bounds is not None:
            within("nodes", self.nodes, self.bounds.max, "bounds.max")
        one_of("placement", self.placement, (COMPACT,), "is no placement of nodes")
        if self.placement is not None and self.policy is not None:
            reason = "says how nodes stand, and so does policy"
            refuse("placement", self.placement, reason, "one of the two")


_WITHOUT_DRIVER = "INSTALLATION_DISABLED"
# What GKE's own taint is (GKE documentation, "Run GPUs in Standard node pools"; the same in
# GoogleCloudPlatform/cluster-toolkit, modules/compute/gke-node-pool/main.tf). The provider compares
# taints by the keys that it was given, so GKE's own is no difference
# (hashicorp/terraform-provider-google-beta google-beta/services/container/node_config.go:3291,
# 93c65b2d60).
_GPU_TAINT: gcp.container.NodePoolNodeConfigTaintArgsDict = {
    "key": "nvidia.com/gpu",
    "value": "present",
    "effect": "NO_SCHEDULE",
}


class NodePool(Component, apis=("container",)):
    """`node_selector` picks this pool's nodes alone, and `accelerator_selector` those of any pool
    with the same accelerators, or of this pool where it has none; both are known once the pool
    stands."""

    pool: gcp.container.NodePool
    pool_name: pulumi.Output[str]
    node_selector: pulumi.Output[dict[str, str]]
    accelerator_selector: pulumi.Output[dict[str, str]]

    def __init__(
        self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai:index:NodePool", name, args, formerly("node_pool:NodePool", opts))
        capacity = args.capacity
        attached = attached_to(args.additional_networks)
        pool = gcp.container.NodePool(
            f"{name}-pool",
            **pool_place(args),
            # One or the other: GKE's autoscaler holds a pool at or above its minimum and does not
            # bring a pool up to one (GoogleCloudPlatform/cluster-autoscaler
            # pkg/processors/total_min_size_processor.go, 7d25050 of 2026-08-21, looks at removals
            # alone; kubernetes/autoscaler #2288), and the provider documents `node_count` as not
            # to be used with autoscaling (hashicorp/terraform-provider-google-beta
            # resource_container_node_pool.go:553, 93c65b2d60 of 2026-08-21).
            node_count=args.nodes if args.bounds is None else None,
            initial_node_count=None if args.bounds is None else args.nodes,
            autoscaling=_autoscaling(args),
            max_pods_per_node=args.max_pods_per_node,
            node_config=_node_config(args),
            network_config=network_config(args),
            placement_policy=_placed(args),
            queued_provisioning={"enabled": True} if capacity.queued else None,
            management=management(capacity),
            # A surge needs one more machine than the pool has; for scarce accelerators there is
            # none to be had, and the upgrade would wait for it for ever.
            upgrade_settings=upgrade_settings(capacity, surge=1 if args.gpu is None else 0),
            # The count at birth says nothing later, and a change of it would replace the pool with
            # all its machines: also where the pool gets a fixed count, or bounds.
            opts=fixed_name(
                self,
                timeouts=pool_timeouts(
                    args.nodes, args.nodes if args.bounds is None else args.bounds.max
                ),
                ignore_changes=["initial_node_count"],
                replace_with=attached,
                replace_on_changes=FIXED_INTERFACES,
                replacement_trigger=fixed_at_birth(args, args.gpu.type if args.gpu else "none"),
                depends_on=attached,
            ),
        )
        self.pool = pool
        self.pool_name = pool.name
        self.node_selector = pool.name.apply(lambda it: {POOL_LABEL: it})
        self.accelerator_selector = self.node_selector
        if args.gpu is not None:
            labels = {GKE_ACCELERATOR: args.gpu.type}
            self.accelerator_selector = pool.name.apply(lambda _: labels)
        self.register_outputs(
            {
                "pool": self.pool,
                "pool_name": self.pool_name,
                "node_selector": self.node_selector,
                "accelerator_selector": self.accelerator_selector,
            }
        )


def _autoscaling(args: NodePoolArgs) -> gcp.container.NodePoolAutoscalingArgsDict | None:
    if args.bounds is None:
        return None
    return {
        "total_min_node_count": args.bounds.min,
        "total_max_node_count": args.bounds.max,
        "location_policy": "ANY",
    }


def _placed(args: NodePoolArgs) -> gcp.container.NodePoolPlacementPolicyArgsDict | None:
    if args.policy is not None:
        return placed_by(args.policy)
    return None if args.placement is None else {"type": args.placement}


def _node_config(args: NodePoolArgs) -> gcp.container.NodePoolNodeConfigArgsDict:
    # Secure boot lets no GPU driver load, and no Lustre client
    # (GoogleCloudPlatform/lustre-csi-driver docs/installation.md, 89f1eb73 of 2026-08-19).
    config = node_config(
        args,
        secure_boot=args.gpu is None and not args.kernel_modules,
        own_labels=None if args.gpu is None else args.gpu.labels,
        own_taints=[_GPU_TAINT] if args.gpu is not None and args.tainted else [],
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
