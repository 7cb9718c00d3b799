"""Private service access: the address range and the peering through which a VPC reaches Google's
managed services (here: Managed Lustre).
"""

from dataclasses import dataclass, field
from ipaddress import IPv4Network

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import checked
from ..base.cidr import ranges_are
from ..base.component import Component
from ..base.lifecycle import child_of, fixed_name
from ..base.naming import NameKind, cloud_name
from ..base.tokens import formerly
from ..project.apis import ProjectArgs
from .peering_removal import PeeringRemoval

_SERVICE = "servicenetworking.googleapis.com"


def range_name(base_name: str, block: IPv4Network) -> str:
    """Another one for each block, so that the next can be there before the last one goes."""
    text = str(block).translate(str.maketrans("./", "--"))
    return cloud_name(NameKind.ADDRESS, base_name, "services", text)


def in_ranges(
    parent: pulumi.Resource,
    services: "PrivateServiceAccess | None",
    *,
    timeouts: pulumi.CustomTimeouts,
    protect: bool,
) -> pulumi.ResourceOptions:
    """Options of a service that has its addresses of a range of these, if any.

    The state keeps the trigger: of a run that was killed between range and service the next one
    would not know that they are replaced together.
    """
    ranges = [] if services is None else [services.range]
    options = fixed_name(parent, timeouts=timeouts, protect=protect, replace_with=ranges)
    if ranges:
        options.replacement_trigger = pulumi.Output.all(*(it.name for it in ranges))
    return options


@dataclass(frozen=True, kw_only=True)
class PrivateServiceAccessArgs(ProjectArgs):
    """`address_range` is a block that nothing else on the VPC has."""

    base_name: str
    network_id: pulumi.Input[str]
    address_range: str
    removal: PeeringRemoval
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        ranges_are({"address_range": self.address_range})
        block = IPv4Network(self.address_range)
        checked("base_name", lambda base: range_name(base, block), self.base_name)


class PrivateServiceAccess(Component, apis=("compute", "servicenetworking")):
    """`network_id` is the VPC's, known once the peering is up: services take it from here, and are
    replaced with the `range` that they have their addresses of. What uses them is replaced with all
    of the `backing`.

    Another range is another address beside the old one, which the peering takes in its place
    (Service Networking API, services.connections.patch with `force`; the provider's update, too). A
    peering that is deleted instead is held on to by services that are only just gone.
    """

    network_id: pulumi.Output[str]

    def __init__(
        self, name: str, args: PrivateServiceAccessArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:PrivateServiceAccess",
            name,
            args,
            formerly("private_service_access:PrivateServiceAccess", opts),
        )
        block = IPv4Network(args.address_range)
        # A range left to Google's choice can take addresses that a later subnetwork wants.
        address = gcp.compute.GlobalAddress(
            f"{name}-range",
            project=args.project_with("compute"),
            name=range_name(args.base_name, block),
            network=args.network_id,
            purpose="VPC_PEERING",
            address_type="INTERNAL",
            address=str(block.network_address),
            prefix_length=block.prefixlen,
            labels=args.labels,
            opts=child_of(self),
        )
        peering = gcp.servicenetworking.Connection(
            f"{name}-peering",
            network=args.network_id,
            service=_SERVICE if args.apis is None else args.apis.full_name(_SERVICE),
            reserved_peering_ranges=[address.name],
            deletion_policy=args.removal.provider_value,
            # Google remembers a peering even when its VPC was made anew, and refuses to create it
            # with another range.
            update_on_creation_fail=True,
            opts=fixed_name(self),
        )
        self.network_id = peering.network
        self.range = address
        self.peering = peering
        self.backing: list[pulumi.Resource] = [address, peering]
        self.register_outputs({"network_id": self.network_id})
