"""The addresses that a stack takes, and the networks of its nodes' further interfaces. No Pulumi
import."""

from collections.abc import Iterable
from dataclasses import dataclass

from catalog import Interface, MachineType
from components.base.cidr import cut
from stacks.parts.pools.plan import PlannedPool
from stacks.stack import Stack


def ranges_of(stack: Stack, *, interfaces: bool, slices: bool) -> dict[str, str]:
    """By their fields below `network`; those of a network that exists already are its own.
    `interfaces` and `slices` are whether nodes have further ones, and whether there are TPU slices
    that networks connect."""
    network, found = stack.network, dict[str, str]()
    if stack.makes_network:
        found |= {"subnet": network.subnet, "pods": network.pods, "services": network.services}
    if stack.cluster.is_made:
        found["control_plane"] = network.control_plane
    if stack.makes_lustre or stack.makes_peering or lets_lustre_in(stack):
        found["peering"] = network.peering
    if interfaces:
        found["accelerators.range"] = network.accelerators.range
    if slices:
        found |= {f"dcn[{at}].range": one.range for at, one in enumerate(network.dcn)}
    return found


def lets_lustre_in(stack: Stack) -> bool:
    """Whether the stack itself lets in the servers of an instance that exists already."""
    there = stack.lustre is not None and stack.lustre.existing is not None
    return there and not stack.makes_network and "peering" in stack.network.model_fields_set


def most_nodes_and_pods(pools: Iterable[PlannedPool]) -> list[tuple[int, int]]:
    """The most nodes of each, with one more for a surge upgrade, and the most pods on one of them;
    of Autopilot's nodes neither is known."""
    return [(it.bounds.max + 1, it.config.max_pods_per_node) for it in pools if not it.autopilot]


@dataclass(frozen=True, kw_only=True)
class InterfaceSet:
    """The networks of pools with the same interfaces in one zone; `suffix` tells sets apart, and
    `offset` is how many subnetworks earlier sets have."""

    suffix: str
    zone: str
    machine: MachineType
    interfaces: tuple[Interface, ...]
    pools: tuple[str, ...]
    offset: int
    most_nodes: int


def blocks_of(stack: Stack, one: InterfaceSet) -> tuple[str, ...]:
    """Of the subnetworks of its interfaces, in their order."""
    ranges = stack.network.accelerators
    return cut(ranges.range, ranges.prefix_length, one.offset + len(one.interfaces))[one.offset :]


def interface_sets(pools: Iterable[PlannedPool]) -> tuple[InterfaceSet, ...]:
    """Those of GPUs first, whose names then stay when other machines come beside them."""
    groups: dict[tuple[str, tuple[Interface, ...]], list[PlannedPool]] = {}
    for pool in sorted(pools, key=lambda it: it.kind != "gpu"):
        if pool.interfaces:
            groups.setdefault((pool.zone, pool.interfaces), []).append(pool)
    found: list[InterfaceSet] = []
    for (zone, interfaces), members in groups.items():
        found.append(
            InterfaceSet(
                suffix=f"-{members[0].name}" if found else "",
                zone=zone,
                machine=members[0].machine,
                interfaces=interfaces,
                pools=tuple(it.name for it in members),
                offset=sum(len(it.interfaces) for it in found),
                most_nodes=sum(it.bounds.max for it in members),
            )
        )
    return tuple(found)
