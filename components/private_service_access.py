"""Private service access: the address range and the peering through which a VPC reaches Google's
managed services (here: Managed Lustre).
"""

from dataclasses import dataclass
from ipaddress import IPv4Network

import pulumi
import pulumi_gcp as gcp

from components.lifecycle import fixed_name, held_to
from components.naming import NameKind, cloud_name
from components.private_service_access_policy import PeeringRemoval


@dataclass(frozen=True, kw_only=True)
class PrivateServiceAccessArgs:
    """`service` is the name of the API that does the peering, known once it is on."""

    project: pulumi.Input[str]
    service: pulumi.Input[str]
    base_name: str
    network_id: pulumi.Input[str]
    address_range: str
    removal: PeeringRemoval
    labels: pulumi.Input[dict[str, str]]


class PrivateServiceAccess(pulumi.ComponentResource):
    """`network_id` is the VPC's, known once the peering is up: services take it from here. They go
    before the range and the peering, which are `made`."""

    network_id: pulumi.Output[str]

    def __init__(
        self, name: str, args: PrivateServiceAccessArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai-stacks:private_service_access:PrivateServiceAccess", name, None, opts
        )
        block = IPv4Network(args.address_range)
        # A range left to Google's choice can take addresses that a later subnetwork wants.
        address = gcp.compute.GlobalAddress(
            f"{name}-range",
            project=args.project,
            name=cloud_name(NameKind.ADDRESS, "google-managed-services", args.base_name),
            network=args.network_id,
            purpose="VPC_PEERING",
            address_type="INTERNAL",
            address=str(block.network_address),
            prefix_length=block.prefixlen,
            labels=args.labels,
            opts=fixed_name(self),
        )
        peering = gcp.servicenetworking.Connection(
            f"{name}-peering",
            # Google lets go of a range once no connection has it.
            network=held_to(args.network_id, address.id),
            service=args.service,
            reserved_peering_ranges=[address.name],
            deletion_policy=args.removal.provider_value,
            # Google remembers a peering even when its VPC was made anew, and refuses to create it
            # with another range.
            update_on_creation_fail=True,
            opts=fixed_name(self),
        )
        self.network_id = peering.network
        self.made = (address, peering)
        self.register_outputs({"network_id": self.network_id})
