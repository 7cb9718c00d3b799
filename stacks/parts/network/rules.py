"""The address plan: no overlaps, and room for every node, pod and interface. No Pulumi import."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from stacks.blocks.network import DcnNetwork
from stacks.blocks.pools import NodePool
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.rules.ranges import overlap_problems, size_problems
from stacks.rules.rdma import range_problems
from stacks.rules.tpu import dcn_problems


def room_problems(plan: Plan) -> Iterator[Problem]:
    pools = [it.as_nodes for it in plan.pools.values()]
    yield from size_problems(plan.stack.network, [it for it in pools if isinstance(it, NodePool)])
    yield from overlap_problems(plan.ranges)


def interface_problems(plan: Plan) -> Iterator[Problem]:
    """Every further interface of a GPU node has a subnetwork, and every node an address in it."""
    ranges, sets = plan.stack.network.accelerators, plan.interface_sets
    for one in sets:
        broken = tuple(range_problems(ranges, one.machine, one.most_nodes))
        yield from broken
        if broken:
            return
    interfaces = sum(len(it.interfaces) for it in sets)
    needed = ranges.prefix_length - (interfaces - 1).bit_length()
    if len(sets) > 1 and IPv4Network(ranges.range).prefixlen > needed:
        fitting = IPv4Network((IPv4Network(ranges.range).network_address, needed), strict=False)
        yield Problem(
            "network.accelerators.range",
            f"{ranges.range} does not hold the {interfaces} subnetworks of /{ranges.prefix_length} "
            f"that the interfaces of {len(sets)} kinds of nodes need; nearest: {fitting}",
        )


def between_slices_problems(plan: Plan) -> Iterator[Problem]:
    network = plan.stack.network
    if plan.autopilot:
        if plan.tpu_pools and "dcn" in network.model_fields_set:
            yield Problem(
                "network.dcn",
                "Autopilot connects slices by networks of its own; nearest: leave it out",
            )
        return
    pools = list(plan.tpu_pools.values())
    if pools:
        fewest = min(pools, key=lambda it: len(it.machine.additional_interfaces))
        as_dcn = DcnNetwork.model_construct(dcn=network.dcn)
        yield from dcn_problems(as_dcn, fewest.machine, sum(it.nodes for it in pools))


RULES = (room_problems, interface_problems, between_slices_problems)
