"""The address plan: no overlaps, and room for every node, pod and interface. No Pulumi import."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from stacks.beside import beside_problems
from stacks.parts.network.accelerator_rules import range_problems
from stacks.parts.network.dcn_rules import dcn_problems
from stacks.parts.network.range_rules import overlap_problems, size_problems
from stacks.parts.pools.nodes import NodePool
from stacks.plan import Plan
from stacks.problems import Problem

_OF_SUBNETWORK = ("subnet", "pods", "services")


def existing_problems(plan: Plan) -> Iterator[Problem]:
    """Beside a network that exists already there is no plan of its addresses, and its owner has
    the private service access: another would take the ranges of that one away."""
    network = plan.stack.network
    if plan.stack.makes_network:
        return
    whose = "the network is there already, with its own"
    keys = (*_OF_SUBNETWORK, "peering_on_destroy")
    keys += () if plan.stack.cluster.is_made else ("control_plane",)
    yield from beside_problems("network", network, keys, whose)
    if not plan.multi_networking:
        why = "it is of networks that the stack makes, and it makes none"
        yield from beside_problems("network", network, ("mtu",), why)
    if plan.stack.makes_lustre and "peering" not in network.model_fields_set:
        yield Problem(
            "network.peering",
            "missing: servers of Lustre are let in from the range of the network's own private "
            "service access; nearest: one that `gcloud compute addresses list --global` shows",
        )


def room_problems(plan: Plan) -> Iterator[Problem]:
    pools = [it.as_nodes for it in plan.pools.values()]
    if plan.stack.makes_network:
        nodes = [it for it in pools if isinstance(it, NodePool)]
        yield from size_problems(plan.stack.network, nodes)
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


def outliving_problems(plan: Plan) -> Iterator[Problem]:
    """Nodes that Autopilot has made go some time after their pods, and networks after their nodes:
    no step of a destroy is that late but the end of the cluster."""
    if not plan.autopilot or plan.stack.cluster.is_made:
        return
    for one in plan.interface_sets:
        yield Problem(
            f"pools.{one.pools[0]}.machine_type",
            f"{one.machine.name} has further interfaces, and nodes that Autopilot makes keep their "
            "networks after their pods, so a destroy would fail in a cluster that stays; "
            "nearest: a cluster that the stack makes, or one in mode standard",
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
        yield from dcn_problems(network.dcn, fewest.machine, sum(it.nodes for it in pools))


RULES = (
    existing_problems,
    room_problems,
    interface_problems,
    outliving_problems,
    between_slices_problems,
)
