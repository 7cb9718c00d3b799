"""The VPC of a cluster: one subnetwork with ranges for pods and services, and a NAT; and what VPCs
of nodes' further interfaces have in common with it.

Nodes are private, so what they pull from outside Google goes through the NAT. Leaves out private
service access, which not every stack has.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import checked, refuse
from ..base.cidr import ranges_are
from ..base.component import Component
from ..base.lifecycle import fixed_name, held_to
from ..base.naming import NameKind, cloud_name, name_is, names_are_of, network_name
from ..base.tokens import formerly
from ..project.apis import ProjectArgs


def custom_vpc(
    parent: pulumi.Resource,
    name: str,
    *,
    project: pulumi.Input[str],
    vpc_name: str,
    mtu: pulumi.Input[int],
    protect: bool,
    routing_mode: str | None = "REGIONAL",
    profile: pulumi.Input[str] | None = None,
) -> gcp.compute.Network:
    """`profile` is the network profile's full name, which decides on the routing mode, too."""
    return gcp.compute.Network(
        f"{name}-vpc",
        project=project,
        name=vpc_name,
        auto_create_subnetworks=False,
        mtu=mtu,
        routing_mode=routing_mode,
        network_profile=profile,
        opts=fixed_name(parent, protect=protect),
    )


def network_base(argument: str, base_name: str) -> None:
    """Refuses what names of networks and subnetworks cannot begin with."""
    name_is(argument, NameKind.NETWORK, base_name)
    checked(argument, network_name, base_name)


def mtu_is(argument: str, mtu: pulumi.Input[int]) -> None:
    """VPC documentation, "Maximum transmission unit"."""
    if isinstance(mtu, int) and not _LEAST_MTU <= mtu <= _MOST_MTU:
        near = min(max(mtu, _LEAST_MTU), _MOST_MTU)
        refuse(argument, mtu, f"is not between {_LEAST_MTU} and {_MOST_MTU} bytes", near)


_LEAST_MTU = 1300
_MOST_MTU = 8896


def device_subnetwork(
    parent: pulumi.Resource,
    name: str,
    vpc: gcp.compute.Network,
    *,
    project: pulumi.Input[str],
    region: pulumi.Input[str],
    subnetwork_name: str,
    block: pulumi.Input[str],
    first: pulumi.Input[str] | None,
    protect: bool,
) -> gcp.compute.Subnetwork:
    """Of interfaces of one kind; Google only lets its range grow, and pools hold on to it.

    It is replaced with the `first` of its nodes, an id: pods and pools have to let go of all of
    them before one can be deleted, and new ranges may overlap with old ones.
    """
    return gcp.compute.Subnetwork(
        name,
        project=project,
        region=region,
        name=subnetwork_name,
        network=vpc.id if first is None else held_to(vpc.id, first),
        ip_cidr_range=block,
        opts=fixed_name(parent, protect=protect, replace_on_changes=["ipCidrRange"]),
    )


PODS_RANGE = "pods"
SERVICES_RANGE = "services"
# What Google takes where nobody says (VPC documentation, "Configure VPC Flow Logs").
_FLOW_LOGS: gcp.compute.SubnetworkLogConfigArgsDict = {
    "aggregation_interval": "INTERVAL_5_SEC",
    "flow_sampling": 0.5,
    "metadata": "INCLUDE_ALL_METADATA",
    "filter_expr": "true",
}
# Of one address's 64,512 for each node: powers of two, 32 to 65,536 (Cloud NAT documentation, "IP
# addresses and ports").
_MIN_PORTS = 1024
_MAX_PORTS = 65536


@dataclass(frozen=True, kw_only=True)
class ClusterNetworkArgs(ProjectArgs):
    region: pulumi.Input[str]
    base_name: str
    mtu: pulumi.Input[int]
    subnet_range: pulumi.Input[str]
    pods_range: pulumi.Input[str]
    services_range: pulumi.Input[str]
    flow_logs: bool = False
    protect: bool = False

    def check(self) -> None:
        network_base("base_name", self.base_name)
        for kind, role in ((NameKind.ROUTER, "router"), (NameKind.NAT, "nat")):
            names_are_of("base_name", kind, self.base_name, role)
        mtu_is("mtu", self.mtu)
        ranges_are(
            {
                "subnet_range": self.subnet_range,
                "pods_range": self.pods_range,
                "services_range": self.services_range,
            }
        )


class ClusterNetwork(Component, apis=("compute",)):
    network_id: pulumi.Output[str]
    network_name: pulumi.Output[str]
    subnetwork: gcp.compute.Subnetwork
    subnetwork_id: pulumi.Output[str]

    def __init__(
        self, name: str, args: ClusterNetworkArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:ClusterNetwork",
            name,
            args,
            formerly("network:ClusterNetwork", opts),
        )
        vpc = custom_vpc(
            self,
            name,
            project=args.project_with("compute"),
            vpc_name=network_name(args.base_name),
            mtu=args.mtu,
            protect=args.protect,
        )
        subnetwork = gcp.compute.Subnetwork(
            f"{name}-subnet",
            project=args.project_with("compute"),
            region=args.region,
            name=cloud_name(NameKind.SUBNETWORK, args.base_name, "nodes"),
            network=vpc.id,
            ip_cidr_range=args.subnet_range,
            private_ip_google_access=True,
            log_config=_FLOW_LOGS if args.flow_logs else None,
            secondary_ip_ranges=[
                {"range_name": PODS_RANGE, "ip_cidr_range": args.pods_range},
                {"range_name": SERVICES_RANGE, "ip_cidr_range": args.services_range},
            ],
            # A secondary range that a cluster uses can only change with the cluster, and GKE may
            # note in it that it is in use. The provider's bridge knows no path with [*]
            # (pulumi/pulumi-terraform-bridge #3177).
            opts=fixed_name(
                self,
                protect=args.protect,
                ignore_changes=[f"secondaryIpRanges[{it}].reservedInternalRange" for it in (0, 1)],
                replace_on_changes=["secondaryIpRanges"],
            ),
        )
        router = gcp.compute.Router(
            f"{name}-router",
            project=args.project_with("compute"),
            region=args.region,
            name=cloud_name(NameKind.ROUTER, args.base_name, "router"),
            network=vpc.id,
            opts=fixed_name(self),
        )
        gcp.compute.RouterNat(
            f"{name}-nat",
            project=args.project_with("compute"),
            region=args.region,
            name=cloud_name(NameKind.NAT, args.base_name, "nat"),
            router=router.name,
            nat_ip_allocate_option="AUTO_ONLY",
            source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
            # With the 64 of a static allocation, eight ranks that load a model from the same hub
            # run out; dynamic ports exclude endpoint-independent mapping (hashicorp/
            # terraform-provider-google-beta google-beta/services/compute/
            # resource_compute_router_nat.go:355, 93c65b2d, 2026-08-21).
            enable_dynamic_port_allocation=True,
            enable_endpoint_independent_mapping=False,
            min_ports_per_vm=_MIN_PORTS,
            max_ports_per_vm=_MAX_PORTS,
            opts=fixed_name(self),
        )
        self.network_id = vpc.id
        self.network_name = vpc.name
        self.subnetwork = subnetwork
        self.subnetwork_id = subnetwork.id
        self.register_outputs(
            {
                "network_id": self.network_id,
                "network_name": self.network_name,
                "subnetwork": self.subnetwork,
                "subnetwork_id": self.subnetwork_id,
            }
        )
