"""Private service access: the address range for Google's producers and the peering with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from ipaddress import IPv4Network, ip_network
from typing import Any, TypeAlias

from sandbox.cloud.kind import Kind, check_name, refuse_if_used
from sandbox.cloud.kinds.network import (
    COMPUTE_URL,
    REDIS,
    find_network,
    on_network,
    parse_cidr,
    ranges_of,
)
from sandbox.cloud.kinds.network_profile import refuse_on_rdma
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError

Blocks: TypeAlias = Iterator[IPv4Network]
# Where Google picks a peering range from when none is asked for.
AUTOMATIC_POOL = ip_network("10.0.0.0/8")


class GlobalAddress(Kind):
    """A reserved range with purpose VPC_PEERING; other global addresses are not simulated."""

    token = "gcp:compute/globalAddress:GlobalAddress"
    api = "compute.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("address", inputs["name"])
        self.planned(inputs)
        network = find_network(cloud, inputs["network"], inputs.get("project"))
        wanted = inputs.get("address")
        if wanted is None:
            return
        cidr = parse_cidr(f"{wanted}/{inputs['prefixLength']}")
        # hashicorp/terraform-provider-google-beta resource_compute_subnetwork.go:807, 93c65b2d.
        for owner, other in ranges_of(cloud, network):
            if cidr.overlaps(other):
                raise CloudError("INVALID_ARGUMENT", f"{cidr} overlaps with {other} of {owner}")

    def planned(self, inputs: Inputs) -> None:
        if inputs.get("purpose") in (None, "") or not inputs.get("prefixLength"):
            raise CloudError(
                "INVALID_ARGUMENT",
                "the sandbox knows global addresses of purpose VPC_PEERING only, each with a "
                "prefixLength",
            )

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        return {
            "selfLink": f"{COMPUTE_URL}/{resource_id}",
            "address": inputs.get("address") or str(_automatic(inputs, cloud).network_address),
            "effectiveLabels": dict(inputs.get("labels") or {}),
        }

    def release(self, resource: Resource, cloud: View) -> None:
        users = (
            connection
            for connection in cloud.find(ServiceConnection.token)
            if resource["name"] in connection["reservedPeeringRanges"]
        )
        refuse_if_used(resource.id, users)


class ServiceConnection(Kind):
    """The peering with Google's producers.

    A producer keeps its side for a while after its last instance is gone, and refuses to let go of
    the connection until then. With REMOVE_PEERING the provider then takes the peering off the
    network; with ABANDON it does not ask, and the peering stays in the network's way.
    """

    token = "gcp:servicenetworking/connection:Connection"
    api = "servicenetworking.googleapis.com"

    def project(self, inputs: Inputs) -> str | None:
        return str(inputs["network"]).removeprefix(f"{COMPUTE_URL}/").split("/")[1]

    def admit(self, inputs: Inputs, cloud: View) -> None:
        network = find_network(cloud, inputs["network"])
        refuse_on_rdma(network, "VPC Network Peering")
        names = {address["name"] for address in on_network(cloud, GlobalAddress.token, network)}
        for name in inputs["reservedPeeringRanges"]:
            # hashicorp/terraform-provider-google issue 5860.
            if name not in names:
                raise CloudError("NOT_FOUND", f'peering range "{name}" was not found')

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        return {"peering": inputs["service"].replace(".", "-")}

    def is_asked(self, operation: str, inputs: Inputs) -> bool:
        return operation != "delete" or inputs.get("deletionPolicy") != "ABANDON"

    def release(self, resource: Resource, cloud: View) -> None:
        if resource["deletionPolicy"] in ("ABANDON", "REMOVE_PEERING"):
            return
        network = find_network(cloud, resource["network"])
        # hashicorp/terraform-provider-google issue 19908.
        if network.id in cloud.producers:
            raise CloudError(
                "FAILED_PRECONDITION",
                "Failed to delete connection; Producer services are still using this connection",
            )

    def after_delete(self, resource: Resource, cloud: View) -> None:
        if resource["deletionPolicy"] == "ABANDON":
            cloud.abandoned_peerings.append(find_network(cloud, resource["network"]).id)


def connection_of(cloud: View, network: Resource) -> Resource | None:
    return next(on_network(cloud, ServiceConnection.token, network), None)


def free_block(cloud: View, network: Resource, prefix: int, name: str | None = None) -> IPv4Network:
    """The first block of that size in the ranges of the network's peering, or in one of them, that
    no producer's instance has taken. Raises CloudError in the words of Service Networking, which
    sassoftware/viya4-iac-gcp pull request 194 quotes; what comes after them is ours. Of the blocks:
    Managed Lustre documentation, "Configure a VPC network", read 2026-11-21."""
    connection = connection_of(cloud, network)
    if connection is None:
        raise CloudError(
            "FAILED_PRECONDITION",
            f"network {network.id} has no private services access connection",
        )
    ranges = connection["reservedPeeringRanges"]
    if name is not None and name not in ranges:
        raise CloudError(
            "INVALID_ARGUMENT",
            f'"{name}" is no range of the connection; nearest: {", ".join(ranges)}',
        )
    wanted = ranges if name is None else [name]
    if found := next(_free_blocks(cloud, network, prefix, wanted), None):
        return found
    raise CloudError(
        "FAILED_PRECONDITION",
        "Failed to create subnetwork. Couldn't find free blocks in allocated IP ranges. Please "
        f"allocate new ranges for this service provider: {', '.join(wanted)} of {network.id} has "
        f"no free /{prefix}; nearest: a range that has",
    )


def _free_blocks(cloud: View, network: Resource, prefix: int, names: Collection[str]) -> Blocks:
    taken = list(_producers_blocks(cloud, network))
    for address in on_network(cloud, GlobalAddress.token, network):
        if address["name"] not in names:
            continue
        block = parse_cidr(f"{address.outputs['address']}/{address['prefixLength']}")
        if block.prefixlen <= prefix:
            candidates = block.subnets(new_prefix=prefix)
            yield from (it for it in candidates if not any(map(it.overlaps, taken)))


def _producers_blocks(cloud: View, network: Resource) -> Blocks:
    for lustre in on_network(cloud, "gcp:lustre/instance:Instance", network):
        address = lustre.outputs["mountPoint"].partition("@")[0]
        prefix = cloud.catalog.lustre.range_prefix_length
        yield IPv4Network((address, prefix), strict=False)
    for redis in on_network(cloud, REDIS, network):
        yield parse_cidr(redis.outputs["effectiveReservedIpRange"])


def _automatic(inputs: Inputs, cloud: View) -> IPv4Network:
    taken = [
        cidr
        for _, cidr in ranges_of(
            cloud, find_network(cloud, inputs["network"], inputs.get("project"))
        )
    ]
    for candidate in AUTOMATIC_POOL.subnets(new_prefix=int(inputs["prefixLength"])):
        if isinstance(candidate, IPv4Network) and not any(
            candidate.overlaps(cidr) for cidr in taken
        ):
            return candidate
    raise CloudError("RESOURCE_EXHAUSTED", "no free range is left for the peering")
