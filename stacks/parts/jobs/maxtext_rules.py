"""What MaxText 0.2.5 and elastic training demand of a run, and whether it fits its chips.

The memory is plain arithmetic, a lower bound: what is refused cannot fit, and what passes may not
fit either. What is offered instead has the margin that compilers counted above such a bound.

Sources: AI-Hypercomputer/maxtext, 0.2.5 on PyPI, utils/max_utils.py:462
(fill_unspecified_mesh_axes) and configs/types.py; ray 2.56 train/v2; read 2026-11-27.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from math import prod
from typing import NamedTuple

from catalog import ChipMemory, MaxTextTable
from catalog.accelerators import usable_gib
from stacks.commands import aistack, of_stack
from stacks.parts.jobs.maxtext import DcnParallelism, MaxTextTraining, SliceParallelism
from stacks.parts.ray.plan import PlannedRay
from stacks.plan import Plan
from stacks.problems import Problem, under

_GIB = 2**30


@dataclass(frozen=True)
class Chips:
    """What JAX sees: `a_slice` of them in each of `slices`; of one a program can have
    `memory_gib`. A chip of TPU7x is two of them."""

    a_slice: int
    slices: int
    memory_gib: float
    what: str = "chip"

    @property
    def bytes(self) -> int:
        """Of one."""
        return int(self.memory_gib * _GIB)


class LargerSlices(NamedTuple):
    """The topologies of a machine type by their chips, and the field that names one."""

    field: str
    chips: Mapping[str, int]


_NO_LARGER = LargerSlices("", {})


def larger_slices(plan: Plan, ray: PlannedRay) -> LargerSlices:
    """Those that the machines of a RayCluster's workers could be in instead, the smallest first."""
    pool = ray.accelerated.first
    own = 0 if pool.topology is None else pool.topology.devices
    known = plan.facts.topologies(pool.machine.name).items()
    larger = {name: it.devices for name, it in known if it.devices > own}
    in_order = dict(sorted(larger.items(), key=lambda it: it[1]))
    return LargerSlices(f"{pool.field}.topology", in_order)


def chips_of(ray: PlannedRay) -> Chips:
    """Those of a RayCluster whose workers are on TPUs."""
    group = ray.accelerated
    topology, accelerator = group.first.topology, group.first.machine.accelerator
    # The references refuse a topology that the machine does not have.
    assert topology is not None
    assert accelerator is not None
    each = topology.devices_per_chip
    what = "chip" if each == 1 else "device"
    return Chips(topology.devices, group.count, usable_gib(accelerator, each), what)


def maxtext_rules(
    plan: Plan, ray: PlannedRay, job: MaxTextTraining, name: str
) -> Iterator[Problem]:
    chips = chips_of(ray)
    found = maxtext_problems(job, chips, run_name=job.run_name or name)
    yield from under({"job": f"jobs.{name}"}, found)
    yield from _flag_problems(plan, ray, job, name)


def _flag_problems(
    plan: Plan, ray: PlannedRay, job: MaxTextTraining, name: str
) -> Iterator[Problem]:
    """What an image's own MaxText and libtpu take is not known."""
    pool = ray.accelerated.first
    if not job.install_maxtext or pool.topology is None:
        return
    places = {it.name: place for place, it in enumerate(pool.flags)}
    given = {it.name: it.value or "true" for it in pool.flags}
    for refused in plan.facts.maxtext.refused_flags:
        if refused.met_by(pool.topology.generation, given):
            first, *others = refused.flags
            yield Problem(
                f"{pool.field}.libtpu_flags[{places[first]}].value",
                f"jobs.{name} compiles no step with {first} beside {' and '.join(others)}: the "
                f"libtpu that it installs refuses them on {pool.topology.generation}; "
                "nearest: false",
            )


def maxtext_memory_rules(
    plan: Plan, ray: PlannedRay, job: MaxTextTraining, name: str
) -> Iterator[Problem]:
    chips = chips_of(ray)
    # What a chip has to hold is not known where the cut is wrong.
    if not cut_is_wrong(job, chips):
        found = memory_problems(plan.facts.maxtext, job, chips, larger_slices(plan, ray))
        yield from under({"job": f"jobs.{name}"}, found)


def cut_is_wrong(job: MaxTextTraining, chips: Chips) -> bool:
    found = maxtext_problems(job, chips, run_name="")
    return any(it.field.startswith(("job.ici", "job.dcn")) for it in found)


def maxtext_problems(job: MaxTextTraining, chips: Chips, *, run_name: str) -> Iterator[Problem]:
    of_a_slice = f"{chips.what}s of a slice"
    yield from _product_problems("job.ici", job.ici.factors(), chips.a_slice, of_a_slice)
    yield from _product_problems("job.dcn", job.dcn.factors(), chips.slices, "slices")
    yield from _elastic_problems(job, chips.slices)
    if run_name in job.finished_runs:
        free = next(name for n in count(2) if (name := f"{run_name}-{n}") not in job.finished_runs)
        yield Problem(
            "job.run_name",
            f"{run_name} has run to its end, and its checkpoints leave nothing to do; "
            f"nearest: {free}",
        )
    if job.saves_every > job.steps:
        yield Problem(
            "job.checkpoint_period",
            f"{job.saves_every} steps are never reached in {job.steps}; nearest: {job.steps}",
        )


def _product_problems(
    field: str, factors: Mapping[str, int], wanted: int, what: str
) -> Iterator[Problem]:
    """One factor may be -1, which takes what the others leave."""
    open_ends = [name for name, value in factors.items() if value == -1]
    for name, value in factors.items():
        if value == 0:
            yield Problem(f"{field}.{name}", "0 is no number of parts; nearest: 1")
            return
    if len(open_ends) > 1:
        yield Problem(
            f"{field}.{open_ends[1]}",
            f"only one factor can take what is left, and {open_ends[0]} does; nearest: 1",
        )
        return
    fixed = prod(value for value in factors.values() if value != -1)
    if (wanted % fixed == 0) if open_ends else (fixed == wanted):
        return
    shown = " x ".join(f"{name} {value}" for name, value in factors.items() if value != -1)
    wrong = f"{shown} = {fixed} does not make the {wanted} {what}"
    given = [name for name, value in factors.items() if value != -1]
    for name in sorted(given, key=lambda it: factors[it], reverse=True):
        rest, left_over = divmod(wanted * factors[name], fixed)
        if left_over:
            continue
        fitting = (n for n in range(factors[name], 0, -1) if rest % n == 0)
        yield Problem(
            f"{field}.{name}", f"{wrong}; nearest: {next(fitting) if open_ends else rest}"
        )
        return
    # No factor can put it right alone.
    first, *others = factors
    block = ", ".join([f"{first}: -1", *(f"{name}: 1" for name in others)])
    yield Problem(field, f"{wrong}; nearest: {{{block}}}")


def _elastic_problems(job: MaxTextTraining, slices: int) -> Iterator[Problem]:
    if job.elastic is None:
        return
    if job.elastic.min_slices > slices:
        yield Problem(
            "job.elastic.min_slices",
            f"{job.elastic.min_slices} are more than the {slices} slices that there are; "
            f"nearest: {slices}",
        )
    shrinks = job.elastic.min_slices < slices
    if shrinks and (job.dcn.data != -1 or job.dcn.fsdp != 1):
        yield Problem(
            "job.dcn",
            "an elastic job cannot shrink with a fixed cut between slices; "
            "nearest: {data: -1, fsdp: 1}",
        )


def memory_problems(
    table: MaxTextTable,
    job: MaxTextTraining,
    chips: Chips,
    larger: LargerSlices = _NO_LARGER,
) -> Iterator[Problem]:
    """For a job whose factors make up the chips and the slices. The model is what the user wants:
    the batch gives way first, then the cut, then the topology."""
    if is_possible(table, job, chips):
        return
    needs = needs_of(table, job, chips)
    shown = [f"{size / _GIB:.1f} of {what}" for what, size in needs.parts.items()]
    why = (
        f"{job.model} needs at least {needs.bytes / _GIB:.1f} GiB of a {chips.what} that has "
        f"{chips.memory_gib:g}: {', '.join(shown)}; weights are cut over {shards_of(job, chips)} "
        f"{chips.what}s"
    )
    # What is likely goes before what is only possible.
    for holds in (partial(is_likely, table), partial(is_possible, table)):
        for field, near in _offers(job, chips, larger, holds):
            compiled = f"`{of_stack(f'{aistack()} fit')}` compiles what is nearest"
            yield Problem(field, f"{why}. {compiled}; nearest: {near}")
            return
    near = "larger machines, or no such job"
    yield Problem("job.model", f"{why}, and no larger slice holds it; nearest: {near}")


# Whether chips hold a job.
_Holds = Callable[[MaxTextTraining, Chips], bool]


def _offers(
    job: MaxTextTraining, chips: Chips, larger: LargerSlices, holds: _Holds
) -> Iterator[tuple[str, str]]:
    """What to have instead: the field, and its value."""
    if (size := _largest_batch(job, chips, holds)) > 0:
        yield "job.per_device_batch_size", str(size)
    yield from _other_cuts(job, chips, holds)
    yield from _larger_topologies(job, chips, larger, holds)
    longest = _largest_that(
        lambda tokens: holds(job.model_copy(update={"max_target_length": tokens}), chips)
    )
    if longest > 0:
        # The longest power of two.
        yield "job.max_target_length", str(1 << (longest.bit_length() - 1))


def _other_cuts(job: MaxTextTraining, chips: Chips, holds: _Holds) -> Iterator[tuple[str, str]]:
    """With the batch as it is, else with a smaller one."""
    cuts = [
        (
            f"job.{field}",
            f"{{{', '.join(f'{name}: {value}' for name, value in cut.factors().items())}}}",
            job.model_copy(update={field: cut}),
        )
        for field, cut in _cuts(job)
    ]
    for field, shown, on_cut in cuts:
        if holds(on_cut, chips):
            yield field, shown
    for field, shown, on_cut in cuts:
        if (size := _largest_batch(on_cut, chips, holds)) > 0:
            yield field, f"{shown} with per_device_batch_size {size}"


def _larger_topologies(
    job: MaxTextTraining, chips: Chips, larger: LargerSlices, holds: _Holds
) -> Iterator[tuple[str, str]]:
    for topology, number in larger.chips.items():
        on_larger = job.model_copy(update={"ici": SliceParallelism(tensor=job.ici.tensor)})
        slices = replace(chips, a_slice=number)
        if cut_is_wrong(on_larger, slices):
            continue
        if (size := _largest_batch(on_larger, slices, holds)) > 0:
            smaller = size < job.per_device_batch_size
            batch = f" and per_device_batch_size {size}" if smaller else ""
            yield larger.field, f"{topology} with ici {{fsdp: -1, tensor: {job.ici.tensor}}}{batch}"


def needs_of(table: MaxTextTable, job: MaxTextTraining, chips: Chips) -> ChipMemory:
    """The least that one chip holds."""
    return table.needs(
        job.model,
        shards=shards_of(job, chips),
        batch=job.per_device_batch_size,
        tokens=job.max_target_length,
        remat_policy=job.remat_policy,
    )


def is_possible(table: MaxTextTable, job: MaxTextTraining, chips: Chips) -> bool:
    """Whether a chip holds the least that the job needs."""
    return needs_of(table, job, chips).bytes <= chips.bytes


def is_likely(table: MaxTextTable, job: MaxTextTraining, chips: Chips) -> bool:
    """Whether a chip holds the job even where a compiler counts as much above the lower bound as
    one ever did."""
    return needs_of(table, job, chips).bytes * table.margin <= chips.bytes


def largest_likely_batch(table: MaxTextTable, job: MaxTextTraining, chips: Chips) -> int:
    """Sequences that a chip is likely to hold; 0 where one is too much."""
    return _largest_batch(job, chips, partial(is_likely, table))


def _largest_batch(job: MaxTextTraining, chips: Chips, holds: _Holds) -> int:
    return _largest_that(
        lambda size: holds(job.model_copy(update={"per_device_batch_size": size}), chips)
    )


def _largest_that(holds: Callable[[int], bool]) -> int:
    """The largest number that holds, where every smaller one does, too; 0 where 1 does not."""
    above = 1
    while holds(above):
        above *= 2
    return bisect_left(range(1, above), True, key=lambda it: not holds(it))


def _cuts(job: MaxTextTraining) -> Iterator[tuple[str, SliceParallelism | DcnParallelism]]:
    """Fewer copies: none within a slice, then none at all, which an elastic job cannot have."""
    if job.ici.tensor > 0:
        yield "ici", SliceParallelism(fsdp=-1, tensor=job.ici.tensor)
    if job.elastic is None:
        yield "dcn", DcnParallelism(data=1, fsdp=-1)


def shards_of(job: MaxTextTraining, chips: Chips) -> int:
    """The chips that hold one copy between them: `data` makes copies, all else cuts them up."""
    copies = filled(job.ici.factors(), chips.a_slice)["data"]
    copies *= filled(job.dcn.factors(), chips.slices)["data"]
    return chips.a_slice * chips.slices // copies


def filled(factors: dict[str, int], there: int) -> dict[str, int]:
    """The factors with -1 as what the others leave of `there`."""
    rest = there // prod(it for it in factors.values() if it != -1)
    return {name: rest if it == -1 else it for name, it in factors.items()}
