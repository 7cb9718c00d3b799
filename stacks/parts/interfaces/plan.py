"""Which networks the further interfaces of GPU nodes are in. No Pulumi import."""

from collections.abc import Iterable
from dataclasses import dataclass

from catalog import Interface, MachineType
from stacks.parts.pools.plan import PlannedPool


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


def interface_sets(pools: Iterable[PlannedPool]) -> tuple[InterfaceSet, ...]:
    groups: dict[tuple[str, tuple[Interface, ...]], list[PlannedPool]] = {}
    for pool in pools:
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
