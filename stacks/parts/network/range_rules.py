"""The address plan: no overlaps, and room for every node, pod and service."""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Network

from components.cidr import (
    next_free,
    node_addresses,
    overlaps,
    pod_addresses,
    prefix_for,
    prefix_for_nodes,
)
from stacks.parts.network.config import StackNetwork
from stacks.parts.pools.nodes import NodePool
from stacks.problems import Problem

# No range of a config has a shorter prefix.
_WIDEST = 8


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


def size_problems(network: StackNetwork, pools: list[NodePool]) -> Iterator[Problem]:
    """Counted at the pools' upper bounds, and one node more for a surge upgrade of each."""
    sizes = [(pool.bounds.max + 1, pool.max_pods_per_node) for pool in pools]
    yield from nodes_problems("network.subnet", network.subnet, sizes)
    yield from pods_problems("network.pods", network.pods, sizes)


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
