"""The networks between TPU slices."""

from collections.abc import Iterator, Sequence
from itertools import count

from catalog import MachineType
from components.cidr import node_addresses, prefix_for_nodes
from stacks.parts.network.config import DcnRange
from stacks.problems import Problem


def dcn_problems(dcn: Sequence[DcnRange], machine: MachineType, nodes: int) -> Iterator[Problem]:
    """A network for each further interface at most, each with an address for every node."""
    names = [it.name for it in dcn]
    for number, one in enumerate(dcn):
        where = f"network.dcn[{number}]"
        if one.name in names[:number]:
            free = next(name for n in count(2) if (name := f"{one.name}-{n}") not in names)
            yield Problem(f"{where}.name", f"{one.name} is there already; nearest: {free}")
        if node_addresses(one.range) < nodes:
            yield Problem(
                f"{where}.range",
                f"{one.range} is too small for {nodes} nodes; "
                f"nearest: a /{prefix_for_nodes(nodes)}",
            )
    most = len(machine.additional_interfaces)
    if len(names) > most:
        yield Problem(
            "network.dcn",
            f"{len(names)} networks are more than the further interfaces of {machine.name}; "
            f"nearest: {most}",
        )
