"""The rules for a node pool's additional networks: the interfaces of its machines beyond the
first."""

from __future__ import annotations

from collections import Counter

from catalog import Interface, MachineType
from catalog.pool_nodes import most_nodes
from kube.node_pools import additional_networks, is_dranet
from sandbox.cloud.kinds.network import (
    Subnetwork,
    find_network,
    parse_cidr,
    refers,
    refers_to_subnet,
)
from sandbox.cloud.kinds.network_profile import PROFILES, profile_zone, takes
from sandbox.cloud.kinds.pool_dranet import check_dranet, check_profile
from sandbox.cloud.kinds.pools import (
    has_tpus,
    network_profile,
    other_pools,
    pool_region,
    pool_zones,
)
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError

# VPC documentation, "Subnets", read 2026-11-23: the first two and the last two addresses of a
# primary range.
RESERVED_ADDRESSES = 4


def check_additional_networks(
    pool_id: str, inputs: Inputs, cluster: Resource, machine: MachineType, cloud: View
) -> None:
    """Refuse networks that do not fit the machine's interfaces, the zone or the pool's size."""
    wanted = additional_networks(inputs)
    if is_dranet(inputs) or network_profile(inputs):
        check_dranet(cluster, machine, cloud)
    check_profile(pool_id, inputs, cluster, machine, cloud)
    if not wanted:
        return
    # GKE documentation, "Set up multi-network support for Pods", read 2026-11-23.
    if not (cluster["enableMultiNetworking"] or is_dranet(inputs)):
        raise CloudError(
            "INVALID_ARGUMENT",
            f"additional node networks need multi-networking, which cluster {cluster['name']} does "
            "not have; nearest: enableMultiNetworking true and datapathProvider ADVANCED_DATAPATH",
        )
    interfaces = machine.additional_interfaces
    # The interfaces of a machine with TPUs can be left out one by one.
    fits = len(wanted) <= len(interfaces) if has_tpus(machine) else len(wanted) == len(interfaces)
    if not fits:
        raise CloudError(
            "INVALID_ARGUMENT",
            f"{len(wanted)} additional node networks do not fit {machine.name}; nearest: "
            f"{_described(interfaces)}, or none",
        )
    zones = pool_zones(inputs, cluster, cloud)
    networks: list[Resource] = []
    subnets: list[Resource] = []
    for interface, (network_reference, subnet_reference) in zip(interfaces, wanted, strict=False):
        network = find_network(cloud, network_reference, cluster["project"])
        subnet = _find_subnet(cloud, subnet_reference, pool_region(pool_id))
        _check_place(interface, network, subnet, zones, cluster)
        _check_room(pool_id, inputs, subnet, cloud)
        subnets.append(subnet)
        if interface.kind == "gvnic":
            networks.append(network)
    _refuse_twice(networks, "gVNIC interfaces need a network each")
    _refuse_twice(subnets, "interfaces need a subnetwork each")


def _check_place(
    interface: Interface, network: Resource, subnet: Resource, zones: list[str], cluster: Resource
) -> None:
    zone = profile_zone(network)
    if refers(cluster["network"], network, cluster["project"]):
        raise CloudError(
            "INVALID_ARGUMENT",
            f"additional network {network['name']} is the network of cluster {cluster['name']}; "
            "nearest: another network",
        )
    # VPC documentation, "RDMA network profiles", Specifications, read 2026-11-23; the zone, too.
    if (has := takes(network)) != interface.kind:
        raise CloudError(
            "INVALID_ARGUMENT",
            f"interface {interface.name} needs a network with {_profile(interface.kind)}; "
            f"{network['name']} has {_profile(has)}",
        )
    if zone is not None and zones != [zone]:
        raise CloudError(
            "INVALID_ARGUMENT",
            f"network {network['name']} is constrained to zone {zone}, and the pool is in "
            f"{', '.join(zones)}; nearest: nodeLocations [{zone}]",
        )
    # hashicorp/terraform-provider-google issue 7895; `_find_subnet` says the same.
    if not refers(subnet["network"], network):
        raise CloudError(
            "INVALID_ARGUMENT", f"{subnet.id} is not a subnetwork of network {network['name']}"
        )


def _check_room(pool_id: str, inputs: Inputs, subnet: Resource, cloud: View) -> None:
    usable = parse_cidr(subnet["ipCidrRange"]).num_addresses - RESERVED_ADDRESSES
    taken = sum(
        most_nodes(pool.inputs)
        for pool in other_pools(cloud, pool_id)
        if any(
            refers_to_subnet(reference, subnet, pool_region(pool.id))
            for _, reference in additional_networks(pool.inputs)
        )
    )
    needed = taken + most_nodes(inputs)
    if needed > usable:
        prefix = 32 - (needed + RESERVED_ADDRESSES - 1).bit_length()
        raise CloudError(
            "IP_SPACE_EXHAUSTED",
            f"{subnet.id} has {usable} addresses for nodes, {taken} of them for other pools, and "
            f"this pool can have {most_nodes(inputs)} nodes; nearest: a /{prefix}",
        )


def _find_subnet(cloud: View, reference: str, region: str) -> Resource:
    for subnet in cloud.find(Subnetwork.token):
        if refers_to_subnet(reference, subnet, region):
            if subnet["region"] != region:
                raise CloudError("INVALID_ARGUMENT", f"{subnet.id} is not in region {region}")
            return subnet
    raise CloudError("NOT_FOUND", f'subnetwork "{reference}" was not found in region {region}')


def _refuse_twice(resources: list[Resource], why: str) -> None:
    for name, times in Counter(resource.id for resource in resources).items():
        if times > 1:
            raise CloudError("INVALID_ARGUMENT", f"{name} is given {times} times, and {why}")


def _profile(kind: str) -> str:
    return f"a {PROFILES[kind]} network profile" if kind in PROFILES else "no network profile"


def _described(interfaces: tuple[Interface, ...]) -> str:
    """Such as "9: 1 gvnic, 8 rdma"."""
    kinds = Counter(interface.kind for interface in interfaces)
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return f"{len(interfaces)}: {parts}" if parts else "0"
