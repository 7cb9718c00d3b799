"""A VPC network and a subnetwork that exist already: read, never made, changed or deleted.

In a Shared VPC they are the host project's. Leaves out the network's MTU, which the provider's
function does not read (hashicorp/terraform-provider-google-beta google-beta/services/compute/
data_source_google_compute_network.go, 93c65b2d, 2026-08-21; pulumi-gcp 10.2.0), and its firewall
rules, for which there is none.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.existing import ExistingPartError, Part, read_part, relative
from ..base.existing_facts import NetworkFacts


@dataclass(frozen=True, kw_only=True)
class ExistingNetworkArgs:
    """`project` is where the network is: a Shared VPC's host, or the stack's own."""

    project: str
    region: str
    network: str
    subnetwork: str


@dataclass(frozen=True, kw_only=True)
class ExistingNetwork:
    """What a ClusterNetwork hands out, of one that nobody here made; `found` is what was read."""

    found: NetworkFacts
    network_id: pulumi.Output[str]
    network_name: pulumi.Output[str]
    subnetwork_id: pulumi.Output[str]


def existing_network(args: ExistingNetworkArgs, provider: gcp.Provider) -> ExistingNetwork:
    """Raises ExistingPartError where the network or the subnetwork is not there."""
    found = _read(args, pulumi.InvokeOptions(provider=provider))
    return ExistingNetwork(
        found=found,
        network_id=pulumi.Output.from_input(found.network_id),
        network_name=pulumi.Output.from_input(found.name),
        subnetwork_id=pulumi.Output.from_input(found.subnetwork_id),
    )


def _read(args: ExistingNetworkArgs, opts: pulumi.InvokeOptions) -> NetworkFacts:
    project, region = args.project, args.region
    network = read_part(
        Part(
            kind="network",
            name=args.network,
            place=f"project {project}",
            listing="compute networks list",
            options={"project": project},
        ),
        lambda: gcp.compute.get_network(name=args.network, project=project, opts=opts),
    )
    subnetwork = read_part(
        Part(
            kind="subnetwork",
            name=args.subnetwork,
            place=f"region {region} of project {project}",
            listing="compute networks subnets list",
            options={"network": args.network, "project": project},
        ),
        lambda: gcp.compute.get_subnetwork(
            name=args.subnetwork, region=region, project=project, opts=opts
        ),
    )
    return NetworkFacts(
        project=project,
        region=region,
        name=args.network,
        network_id=network.id,
        subnetwork_name=args.subnetwork,
        subnetwork_id=subnetwork.id,
        subnetwork_network_id=relative(subnetwork.network),
        nodes_range=subnetwork.ip_cidr_range,
        secondary_ranges={
            one.range_name: one.ip_cidr_range for one in subnetwork.secondary_ip_ranges or []
        },
        private_google_access=bool(subnetwork.private_ip_google_access),
        nats=_nats(args, network.id, opts),
    )


def _nats(
    args: ExistingNetworkArgs, network_id: str, opts: pulumi.InvokeOptions
) -> tuple[str, ...] | None:
    """A user of a Shared VPC need not be one who may list the host's routers."""
    part = Part(kind="network", name=args.network, place=f"project {args.project}", listing="")
    try:
        found = read_part(
            part,
            lambda: gcp.compute.get_routers(project=args.project, region=args.region, opts=opts),
        )
    except ExistingPartError:
        return None
    return tuple(
        nat.name
        for router in found.routers or []
        if relative(router.network) == network_id
        for nat in router.nats or []
    )
