"""A VPC whose subnetworks are all made on purpose, and those for single interfaces of nodes."""

import pulumi
import pulumi_gcp as gcp

from components.lifecycle import fixed_name


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


def device_subnetwork(
    parent: pulumi.Resource,
    name: str,
    vpc: gcp.compute.Network,
    *,
    project: pulumi.Input[str],
    region: pulumi.Input[str],
    subnetwork_name: str,
    block: pulumi.Input[str],
    protect: bool,
) -> gcp.compute.Subnetwork:
    """Of interfaces of one kind; Google only lets its range grow, and pools hold on to it."""
    return gcp.compute.Subnetwork(
        name,
        project=project,
        region=region,
        name=subnetwork_name,
        network=vpc.id,
        ip_cidr_range=block,
        opts=fixed_name(parent, protect=protect, replace_on_changes=["ipCidrRange"]),
    )
