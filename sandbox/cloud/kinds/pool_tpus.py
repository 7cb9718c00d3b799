"""The rules for TPU slices: which topology a node pool has, and how many nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from catalog import FactError, MachineType
from sandbox.cloud.kind import Inputs
from sandbox.cloud.kinds.pools import bounds, has_tpus, topology_of, wanted_nodes
from sandbox.errors import CloudError

if TYPE_CHECKING:
    from sandbox.cloud.cloud import Cloud


def check_tpus(inputs: Inputs, machine: MachineType, cloud: Cloud) -> None:
    """Refuse a topology that the machine type does not have, and a slice that is not whole."""
    try:
        for message in _problems(inputs, machine, cloud):
            raise CloudError("INVALID_ARGUMENT", message)
    except FactError as error:
        raise CloudError("INVALID_ARGUMENT", str(error)) from None


def _problems(inputs: Inputs, machine: MachineType, cloud: Cloud) -> Iterator[str]:
    name = (inputs.get("placementPolicy") or {}).get("tpuTopology")
    topology = topology_of(inputs, machine, cloud)
    if not has_tpus(machine) or topology is None:
        return
    if not name:
        if (inputs.get("placementPolicy") or {}).get("type") == "COMPACT":
            several = [
                each.name for each in cloud.catalog.topologies(machine.name).values() if each.hosts > 1
            ]
            yield (
                f"placementPolicy COMPACT of {machine.name} needs a tpuTopology; nearest: "
                f"{', '.join(several[:3])}"
            )
        return
    if not topology.multi_host:
        yield (
            f'tpuTopology "{name}" is a single {machine.name}, which is not placed; nearest: '
            "leave placementPolicy out"
        )
    low, high = bounds(inputs)
    first, hosts = wanted_nodes(inputs), topology.hosts
    if high != hosts:
        yield (
            f"a {name} slice of {machine.name} has {hosts} nodes, and the pool has up to {high}; "
            f"nearest: {hosts}"
        )
    if low not in (0, hosts) or first not in (0, hosts):
        yield (
            f"a {name} slice of {machine.name} comes as a whole, not with {first or low} of its "
            f"nodes; nearest: 0 or {hosts}"
        )
