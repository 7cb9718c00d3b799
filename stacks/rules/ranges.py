"""The address plan: no overlaps, and room for every node, pod and service."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network

from components.cidr import (
    next_free,
    node_addresses,
    overlaps,
    pod_addresses,
    prefix_for,
    prefix_for_nodes,
)
from stacks.blocks.network import Network
from stacks.blocks.pools import NodePool
from stacks.problems import Problem


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


def size_problems(network: Network, pools: list[NodePool]) -> Iterator[Problem]:
    """Counted at the pools' upper bounds, and one node more for a surge upgrade of each."""
    nodes = sum(pool.bounds.max + 1 for pool in pools)
    if node_addresses(network.subnet) < nodes:
        yield _too_small("subnet", network.subnet, f"{nodes} nodes", prefix_for_nodes(nodes))
    pods = pod_addresses((pool.bounds.max + 1, pool.max_pods_per_node) for pool in pools)
    if IPv4Network(network.pods).num_addresses < pods:
        yield _too_small(
            "pods",
            network.pods,
            f"the pods of {nodes} nodes, which take {pods} addresses",
            prefix_for(pods),
        )


def _too_small(field: str, text: str, what: str, prefix: int) -> Problem:
    return Problem(f"network.{field}", f"{text} is too small for {what}; nearest: a /{prefix}")
