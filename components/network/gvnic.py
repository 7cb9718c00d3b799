"""A VPC for a further interface of nodes: gVNIC beside GPUs, or a data-centre network between TPU
slices.

A node has one interface in a VPC, so each such interface takes a VPC of its own.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.cidr import ranges_are
from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.naming import NameKind, cloud_name, names_are_of, network_name
from ..base.tokens import formerly
from ..project.apis import ProjectArgs
from .network import custom_vpc, device_subnetwork, mtu_is, network_base


@dataclass(frozen=True, kw_only=True)
class GvnicNetworkArgs(ProjectArgs):
    """`key` tells a stack's networks apart; `internal_range` is all that may talk to its nodes.

    `first_subnetwork` is the id of the one of the same nodes with which this one is replaced.
    """

    region: pulumi.Input[str]
    base_name: str
    key: str
    mtu: pulumi.Input[int]
    subnet_range: pulumi.Input[str]
    internal_range: pulumi.Input[str]
    first_subnetwork: pulumi.Input[str] | None = None
    protect: bool = False

    def check(self) -> None:
        network_base("base_name", self.base_name)
        names_are_of("key", NameKind.NETWORK, self.key)
        mtu_is("mtu", self.mtu)
        ranges_are(
            {"subnet_range": self.subnet_range, "internal_range": self.internal_range}, apart=False
        )


class GvnicNetwork(Component, apis=("compute",)):
    """The names do not wait for the firewall; what depends on the component does.

    `plain_names` are those of VPC and subnetwork as text, known before either exists.
    """

    vpc: gcp.compute.Network
    subnetwork: gcp.compute.Subnetwork
    network_id: pulumi.Output[str]
    network_name: pulumi.Output[str]
    subnetwork_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: GvnicNetworkArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:GvnicNetwork",
            name,
            args,
            formerly("gvnic_network:GvnicNetwork", opts),
        )
        vpc_name = network_name(args.base_name, args.key)
        subnetwork_name = cloud_name(NameKind.SUBNETWORK, args.base_name, args.key, "sub")
        vpc = custom_vpc(
            self,
            name,
            project=args.project_with("compute"),
            vpc_name=vpc_name,
            mtu=args.mtu,
            protect=args.protect,
        )
        subnetwork = device_subnetwork(
            self,
            f"{name}-subnet",
            vpc,
            project=args.project_with("compute"),
            region=args.region,
            subnetwork_name=subnetwork_name,
            block=args.subnet_range,
            first=args.first_subnetwork,
            protect=args.protect,
        )
        gcp.compute.Firewall(
            f"{name}-internal",
            project=args.project_with("compute"),
            name=cloud_name(NameKind.FIREWALL, args.base_name, args.key, "internal"),
            network=vpc.id,
            direction="INGRESS",
            source_ranges=[args.internal_range],
            allows=[{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}],
            opts=fixed_name(self),
        )
        self.vpc, self.subnetwork = vpc, subnetwork
        self.plain_names = (vpc_name, subnetwork_name)
        self.network_id = vpc.id
        self.network_name = vpc.name
        self.subnetwork_name = subnetwork.name
        self.register_outputs(
            {
                "vpc": self.vpc,
                "subnetwork": self.subnetwork,
                "network_id": self.network_id,
                "network_name": self.network_name,
                "subnetwork_name": self.subnetwork_name,
            }
        )
