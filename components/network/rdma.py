"""The VPC of nodes' RDMA interfaces, of GPUs or of H4D, with one subnetwork for each.

Its profile ties it to a zone, and to interfaces that speak RDMA. Leaves out firewall rules: such a
VPC takes none and lets all traffic through (Google Cloud documentation, "RDMA network profiles").
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import refuse
from ..base.cidr import ranges_are
from ..base.component import Component
from ..base.naming import NameKind, cloud_name, network_name
from ..base.tokens import formerly
from ..project.apis import ProjectArgs
from .network import custom_vpc, device_subnetwork, network_base

# What RDMA drivers expect of a VPC with a profile; they take less of it by themselves.
_MTU = 8896


@dataclass(frozen=True, kw_only=True)
class RdmaNetworkArgs(ProjectArgs):
    """`profile` is a bare name, such as us-central1-b-vpc-roce or us-central1-b-vpc-falcon.

    `subnet_ranges` has each subnetwork's range by the name of the interface that it is for;
    `first_subnetwork` is the id of the one of the same nodes with which these are replaced.
    """

    region: pulumi.Input[str]
    base_name: str
    profile: pulumi.Input[str]
    subnet_ranges: Mapping[str, pulumi.Input[str]]
    first_subnetwork: pulumi.Input[str] | None = None
    protect: bool = False

    def check(self) -> None:
        network_base("base_name", self.base_name)
        if not self.subnet_ranges:
            refuse("subnet_ranges", "{}", "has no subnetwork for an interface", "one for each")
        ranges_are({f'subnet_ranges["{key}"]': it for key, it in self.subnet_ranges.items()})


class RdmaNetwork(Component, apis=("compute",)):
    """`subnetwork_names`, `subnetworks` and `plain_names` have the keys of `subnet_ranges`.

    `plain_names` are those of VPC and subnetwork as text, known before either exists.
    """

    vpc: gcp.compute.Network
    network_id: pulumi.Output[str]
    network_name: pulumi.Output[str]
    subnetwork_names: pulumi.Output[dict[str, str]]

    def __init__(
        self, name: str, args: RdmaNetworkArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:RdmaNetwork",
            name,
            args,
            formerly("rdma_network:RdmaNetwork", opts),
        )
        vpc_name = network_name(args.base_name, "rdma")
        vpc = custom_vpc(
            self,
            name,
            project=args.project_with("compute"),
            vpc_name=vpc_name,
            mtu=_MTU,
            protect=args.protect,
            routing_mode=None,
            profile=pulumi.Output.concat(
                "projects/", args.project_with("compute"), "/global/networkProfiles/", args.profile
            ),
        )
        self.vpc = vpc
        self.subnetworks: dict[str, gcp.compute.Subnetwork] = {}
        self.plain_names: dict[str, tuple[str, str]] = {}
        first = args.first_subnetwork
        for key, block in args.subnet_ranges.items():
            subnetwork_name = cloud_name(NameKind.SUBNETWORK, args.base_name, key, "sub")
            self.plain_names[key] = (vpc_name, subnetwork_name)
            self.subnetworks[key] = device_subnetwork(
                self,
                f"{name}-subnet-{key}",
                vpc,
                project=args.project_with("compute"),
                region=args.region,
                subnetwork_name=subnetwork_name,
                block=block,
                first=first,
                protect=args.protect,
            )
            first = self.subnetworks[key].id if first is None else first
        self.network_id = vpc.id
        self.network_name = vpc.name
        self.subnetwork_names = pulumi.Output.all(
            **{key: subnetwork.name for key, subnetwork in self.subnetworks.items()}
        )
        self.register_outputs(
            {
                "vpc": self.vpc,
                "network_id": self.network_id,
                "network_name": self.network_name,
                "subnetwork_names": self.subnetwork_names,
            }
        )
