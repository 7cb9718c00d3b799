"""TPU slices."""

from collections.abc import Iterator

from catalog import Catalog
from catalog.errors import nearest_names
from stacks.parts.pools.tpu_slices import TpuSlices
from stacks.problems import Problem, problem_of


def slice_problems(facts: Catalog, field: str, tpu: TpuSlices) -> Iterator[Problem]:
    """The machine type has TPUs, and the topology is one that its generation has."""
    machine = facts.machines[tpu.machine_type]
    if machine.accelerator is None or machine.accelerator.kind != "tpu":
        with_tpus = [
            it.name
            for it in facts.machines.values()
            if it.accelerator and it.accelerator.kind == "tpu"
        ]
        yield Problem(
            f"{field}.machine_type",
            f"{machine.name} has no TPUs; nearest: {', '.join(with_tpus[:3])}",
        )
        return
    if not facts.topologies(machine.name):
        shaped = [name for name in facts.machines if facts.topologies(name)]
        yield Problem(
            f"{field}.machine_type",
            f"the catalog knows no topology of {machine.name}; "
            f"nearest: {nearest_names(machine.name, shaped)}",
        )
        return
    numbers = tpu.slices
    if len(set(numbers)) < len(numbers):
        yield Problem(
            f"{field}.slices",
            f"{list(numbers)} names a slice twice; nearest: {sorted(set(numbers))}",
        )
    flags = [it.name for it in tpu.libtpu_flags]
    for number, name in enumerate(flags):
        if name in flags[:number]:
            yield Problem(
                f"{field}.libtpu_flags[{number}]",
                f"{name} is there twice, and only the last counts; nearest: leave it out",
            )
    # Looks the topology up, too.
    yield from problem_of(
        f"{field}.topology", lambda: facts.check_ray_topology(machine.name, tpu.topology)
    )
