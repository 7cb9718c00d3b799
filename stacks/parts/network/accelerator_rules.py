"""The networks of a node's further interfaces."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from catalog import MachineType
from components.cidr import node_addresses, prefix_for_nodes
from stacks.parts.network.config import AcceleratorRanges
from stacks.problems import Problem


def range_problems(
    ranges: AcceleratorRanges, machine: MachineType, nodes: int
) -> Iterator[Problem]:
    """Every interface has a subnetwork, and every node an address in each."""
    interfaces = len(machine.additional_interfaces)
    if not interfaces:
        return
    longest = prefix_for_nodes(nodes)
    if ranges.prefix_length > longest:
        room = node_addresses(f"0.0.0.0/{ranges.prefix_length}")
        yield Problem(
            "network.accelerators.prefix_length",
            f"a /{ranges.prefix_length} has addresses for {room} nodes, and the pool can grow to "
            f"{nodes}; nearest: {longest}",
        )
    needed = ranges.prefix_length - (interfaces - 1).bit_length()
    if IPv4Network(ranges.range).prefixlen > needed:
        fitting = IPv4Network((IPv4Network(ranges.range).network_address, needed), strict=False)
        yield Problem(
            "network.accelerators.range",
            f"{ranges.range} does not hold the {interfaces} subnetworks of /{ranges.prefix_length} "
            f"that the interfaces of {machine.name} need; nearest: {fitting}",
        )
