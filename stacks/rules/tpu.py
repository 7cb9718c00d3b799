"""TPU slices and the networks between them."""

from collections.abc import Iterator, Sequence
from itertools import count

from catalog import Catalog, MachineType
from catalog.errors import nearest_names
from components.cidr import node_addresses, prefix_for_nodes
from stacks.parts.network.config import DcnRange
from stacks.parts.pools.tpu_slices import TpuSlices
from stacks.problems import Problem, problem_of


def slice_problems(facts: Catalog, tpu: TpuSlices) -> Iterator[Problem]:
    """The machine type has TPUs, and the topology is one that its generation has."""
    machine = facts.machines[tpu.machine_type]
    if machine.accelerator is None or machine.accelerator.kind != "tpu":
        with_tpus = [
            it.name
            for it in facts.machines.values()
            if it.accelerator and it.accelerator.kind == "tpu"
        ]
        yield Problem(
            "tpu.machine_type",
            f"{machine.name} has no TPUs; nearest: {', '.join(with_tpus[:3])}",
        )
        return
    if not facts.topologies(machine.name):
        shaped = [name for name in facts.machines if facts.topologies(name)]
        yield Problem(
            "tpu.machine_type",
            f"the catalog knows no topology of {machine.name}; "
            f"nearest: {nearest_names(machine.name, shaped)}",
        )
        return
    numbers = tpu.slices
    if len(set(numbers)) < len(numbers):
        yield Problem(
            "tpu.slices",
            f"{list(numbers)} names a slice twice; nearest: {sorted(set(numbers))}",
        )
    flags = [it.name for it in tpu.libtpu_flags]
    for number, name in enumerate(flags):
        if name in flags[:number]:
            yield Problem(
                f"tpu.libtpu_flags[{number}]",
                f"{name} is there twice, and only the last counts; nearest: leave it out",
            )
    # Looks the topology up, too.
    yield from problem_of(
        "tpu.topology", lambda: facts.check_ray_topology(machine.name, tpu.topology)
    )


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
