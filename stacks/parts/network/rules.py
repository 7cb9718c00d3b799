"""The address plan: no overlaps, and room for every node, pod, service and interface. No Pulumi
import."""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Network
from itertools import count

from components.base.cidr import (
    next_free,
    node_addresses,
    overlaps,
    pod_addresses,
    prefix_for,
    prefix_for_nodes,
)
from stacks.beside import beside_problems
from stacks.parts.network.plan import most_nodes_and_pods
from stacks.plan import Plan
from stacks.problems import Problem, repeats

_OF_SUBNETWORK = ("subnet", "pods", "services")
# No range of a config has a shorter prefix.
_WIDEST = 8


def existing_problems(plan: Plan) -> Iterator[Problem]:
    """Beside a network that exists already there is no plan of its addresses, and its owner has
    the private service access: another would take the ranges of that one away."""
    network = plan.stack.network
    if plan.stack.makes_network:
        return
    whose = "the network is there already, with its own"
    keys = (*_OF_SUBNETWORK, "flow_logs", "peering_on_destroy")
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
    if plan.stack.makes_network:
        network, pools = plan.stack.network, most_nodes_and_pods(plan.pools.values())
        yield from nodes_problems("network.subnet", network.subnet, pools)
        yield from pods_problems("network.pods", network.pods, pools)
    yield from overlap_problems(plan.ranges)


def interface_problems(plan: Plan) -> Iterator[Problem]:
    """Every further interface of a GPU node has a subnetwork, and every node an address in it."""
    ranges, sets = plan.stack.network.accelerators, plan.interface_sets
    if not sets:
        return
    nodes = max(it.most_nodes for it in sets)
    longest = prefix_for_nodes(nodes)
    if ranges.prefix_length > longest:
        room = node_addresses(f"0.0.0.0/{ranges.prefix_length}")
        yield Problem(
            "network.accelerators.prefix_length",
            f"a /{ranges.prefix_length} has addresses for {room} nodes, and the pool can grow to "
            f"{nodes}; nearest: {longest}",
        )
    interfaces = sum(len(it.interfaces) for it in sets)
    widest = ranges.prefix_length - (interfaces - 1).bit_length()
    if IPv4Network(ranges.range).prefixlen > widest:
        whose = sets[0].machine.name if len(sets) == 1 else f"{len(sets)} kinds of nodes"
        fitting = IPv4Network((IPv4Network(ranges.range).network_address, widest), strict=False)
        yield Problem(
            "network.accelerators.range",
            f"{ranges.range} does not hold the {interfaces} subnetworks of /{ranges.prefix_length} "
            f"that the interfaces of {whose} need; nearest: {fitting}",
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
            "nearest: networks that GKE makes (interfaces: managed), a cluster that the stack "
            "makes, or one in mode standard",
        )


def between_slices_problems(plan: Plan) -> Iterator[Problem]:
    """A network for each further interface of TPU nodes at most, each with an address for every
    node."""
    network = plan.stack.network
    every, said = plan.tpu_pools.values(), "dcn" in network.model_fields_set
    asking = [
        it for it in every if it.interface_mode == "own" or (said and it.config.interfaces is None)
    ]
    pools = every if plan.autopilot else asking
    if not pools:
        return
    if plan.autopilot:
        why = "Autopilot connects slices by networks of its own"
        yield from beside_problems("network", network, ("dcn",), why)
        return
    names, nodes = [it.name for it in network.dcn], sum(it.nodes for it in pools)
    for place, name in repeats(names):
        free = next(it for n in count(2) if (it := f"{name}-{n}") not in names)
        yield Problem(f"network.dcn[{place}].name", f"{name} is there already; nearest: {free}")
    for place, one in enumerate(network.dcn):
        yield from nodes_problems(f"network.dcn[{place}].range", one.range, [(nodes, 0)])
    machine = min((it.machine for it in pools), key=lambda it: len(it.additional_interfaces))
    if len(names) > (most := len(machine.additional_interfaces)):
        yield Problem(
            "network.dcn",
            f"{len(names)} networks are more than the further interfaces of {machine.name}; "
            f"nearest: {f'{most} of them' if most else 'leave it out'}",
        )


RULES = (
    existing_problems,
    room_problems,
    interface_problems,
    outliving_problems,
    between_slices_problems,
)


def overlap_problems(ranges: Mapping[str, str]) -> Iterator[Problem]:
    """Reported at the later range of each pair, with one that is free; names are the fields'.

    Ranges of nodes' further interfaces are in other networks, but what a node reaches over two
    interfaces it reaches over the wrong one.
    """
    for earlier, later in overlaps(ranges):
        others = [text for name, text in ranges.items() if name != later]
        free = next_free(IPv4Network(ranges[later]).prefixlen, others)
        yield Problem(
            f"network.{later}",
            f"{ranges[later]} overlaps {earlier} {ranges[earlier]}; nearest: {free}",
        )


def nodes_problems(field: str, text: str, pools: Sequence[tuple[int, int]]) -> Iterator[Problem]:
    """Whether the range has an address for each node; pools are (most nodes, most pods on a
    node)."""
    nodes = sum(most for most, _ in pools)
    if node_addresses(text) < nodes:
        yield _too_small(field, text, f"{nodes} nodes", prefix_for_nodes(nodes))


def pods_problems(field: str, text: str, pools: Sequence[tuple[int, int]]) -> Iterator[Problem]:
    """Whether the range has what GKE sets aside for the pods of each node."""
    pods = pod_addresses(pools)
    if IPv4Network(text).num_addresses < pods:
        nodes = sum(most for most, _ in pools)
        what = f"the pods of {nodes} nodes, which take {pods} addresses"
        yield _too_small(field, text, what, prefix_for(pods))


def _too_small(field: str, text: str, what: str, prefix: int) -> Problem:
    near = f"a /{prefix}" if prefix >= _WIDEST else "fewer nodes, or fewer pods on each"
    return Problem(field, f"{text} is too small for {what}; nearest: {near}")
