"""A TPU slice: a node pool whose nodes are the hosts of one topology, all of them or none.

GKE itself taints TPU nodes (google.com/tpu) and labels them. Leaves out the nodes' identity and the
networks that they are in.
"""

from dataclasses import dataclass
from math import prod

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import at_least, refuse, topology_is
from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.tokens import formerly
from .labels import DRANET_LABEL, POOL_LABEL, slice_labels
from .node_config import (
    COMPACT,
    FIXED_INTERFACES,
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


@dataclass(frozen=True, kw_only=True)
class TpuSlicePoolArgs(PoolArgs):
    """`accelerator` is GKE's name for the TPUs, such as tpu-v6e-slice. `hosts` is how many of the
    machine type make up `topology`, such as 4 for 4x4; `policy` is
    the name of the workload policy that places them, where the machine type asks for one.

    With `from_zero` the pool begins without hosts, and GKE's autoscaler adds all of them when pods
    are pending; else they are there at all times. With `dranet`, pods claim the additional
    networks.
    """

    accelerator: str
    topology: str
    hosts: int
    from_zero: bool
    threads_per_core: int
    dranet: bool
    policy: pulumi.Input[str] | None = None

    def check(self) -> None:
        PoolArgs.check(self)
        topology_is("topology", self.topology)
        at_least("hosts", self.hosts, 1, "is no number of hosts for a slice")
        chips = prod(map(int, self.topology.split("x")))
        if chips % self.hosts:
            near = min(
                (it for it in range(1, chips + 1) if chips % it == 0),
                key=lambda it: (abs(it - self.hosts), it),
            )
            reason = f"share the {chips} chips of {self.topology} unevenly"
            refuse("hosts", self.hosts, reason, near)
        if self.threads_per_core not in (1, 2):
            refuse("threads_per_core", self.threads_per_core, "is not 1 or 2", 2)
        if self.capacity.on_request and not self.from_zero:
            refuse(
                "from_zero",
                False,
                f"has all hosts there from the start, and {self.capacity.mode} machines come when "
                "pods are pending",
                "from_zero=True",
            )
        if self.dranet and not self.additional_networks:
            reason = "gives pods the nodes' additional_networks, of which there are none"
            refuse("dranet", True, reason, "dranet=False")


class TpuSlicePool(Component, apis=("container",)):
    """`node_selector` picks the hosts of this slice alone, and `accelerator_selector` those of all
    slices of its kind and shape, for a job on several; all are known once the pool stands."""

    pool: gcp.container.NodePool
    pool_name: pulumi.Output[str]
    node_selector: pulumi.Output[dict[str, str]]
    accelerator_selector: pulumi.Output[dict[str, str]]

    def __init__(
        self, name: str, args: TpuSlicePoolArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:TpuSlicePool",
            name,
            args,
            formerly("tpu_slice_pool:TpuSlicePool", opts),
        )
        capacity = args.capacity
        attached = attached_to(args.additional_networks)
        self.pool = gcp.container.NodePool(
            f"{name}-pool",
            **pool_place(args),
            node_count=None if args.from_zero else args.hosts,
            initial_node_count=0 if args.from_zero else None,
            autoscaling=_autoscaling(args),
            max_pods_per_node=args.max_pods_per_node,
            node_config=_node_config(args),
            network_config=network_config(args),
            placement_policy=_placement(args),
            queued_provisioning={"enabled": True} if capacity.queued else None,
            management=management(capacity),
            # There is no spare host: a slice has exactly those of its topology.
            upgrade_settings=upgrade_settings(capacity, surge=0),
            # The provider would change either in place, and a slice keeps its shape for life.
            opts=fixed_name(
                self,
                timeouts=pool_timeouts(0 if args.from_zero else args.hosts, args.hosts),
                replace_on_changes=[
                    *("placementPolicy.tpuTopology", "nodeConfig.machineType"),
                    *FIXED_INTERFACES,
                ],
                replacement_trigger=fixed_at_birth(args),
                replace_with=attached,
                depends_on=attached,
            ),
        )
        self.pool_name = self.pool.name
        labels = slice_labels(args.accelerator, args.topology)
        self.node_selector = self.pool.name.apply(lambda it: {POOL_LABEL: it, **labels})
        self.accelerator_selector = self.pool.name.apply(lambda _: labels)
        self.register_outputs(
            {
                "pool": self.pool,
                "pool_name": self.pool_name,
                "node_selector": self.node_selector,
                "accelerator_selector": self.accelerator_selector,
            }
        )


def _autoscaling(args: TpuSlicePoolArgs) -> gcp.container.NodePoolAutoscalingArgsDict | None:
    if not args.from_zero:
        return None
    # A zone's bounds: with those of a whole pool, the provider fails on flex-start TPUs
    # (GoogleCloudPlatform/cluster-toolkit modules/compute/gke-node-pool/main.tf, 104708037).
    return {"min_node_count": 0, "max_node_count": args.hosts, "location_policy": "ANY"}


def _placement(args: TpuSlicePoolArgs) -> gcp.container.NodePoolPlacementPolicyArgsDict | None:
    # The topology of a single host follows from its machine type; only several are placed
    # (AI-Hypercomputer/xpk src/xpk/core/nodepool.py:360-370, f2dd7d71).
    if args.hosts == 1:
        return None
    if args.policy is None:
        return {"type": COMPACT, "tpu_topology": args.topology}
    # Beside the topology, which the provider and GKE's autoscaler give, too (cluster-toolkit
    # modules/compute/gke-node-pool/main.tf; GoogleCloudPlatform/cluster-autoscaler
    # pkg/cloudprovider/gke/gkeclient/autoscaling_gke_client_v1beta1.go, 7d25050).
    return {**placed_by(args.policy), "tpu_topology": args.topology}


def _node_config(args: TpuSlicePoolArgs) -> gcp.container.NodePoolNodeConfigArgsDict:
    config = node_config(args, secure_boot=True, own_labels=DRANET_LABEL if args.dranet else None)
    config["advanced_machine_features"] = {"threads_per_core": args.threads_per_core}
    return config
