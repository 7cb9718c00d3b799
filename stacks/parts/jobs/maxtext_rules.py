"""What MaxText 0.2.1 and elastic training demand of a run, and whether it fits its chips.

The memory is plain arithmetic: what is left out only adds to it, so that what is refused cannot
fit; what passes still may not.

Sources: AI-Hypercomputer/maxtext, tag maxtext-v0.2.1, src/maxtext utils/max_utils.py
(fill_unspecified_mesh_axes) and configs/types.py; ray 2.56 train/v2; read 2026-11-21.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from math import prod

from catalog import MaxTextTable
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


def chips_of(plan: Plan, ray: PlannedRay) -> Chips:
    """Those of a RayCluster whose workers are on TPUs."""
    group = ray.accelerated
    topology, accelerator = group.first.topology, group.first.machine.accelerator
    # The references refuse a topology that the machine does not have.
    assert topology is not None
    assert accelerator is not None
    each = topology.devices_per_chip
    what = "chip" if each == 1 else "device"
    usable = plan.facts.maxtext.usable(topology.generation, accelerator.memory_gib // each)
    return Chips(topology.devices, group.count, usable, what)


def maxtext_rules(
    plan: Plan, ray: PlannedRay, job: MaxTextTraining, name: str
) -> Iterator[Problem]:
    chips = chips_of(plan, ray)
    found = maxtext_problems(job, chips, run_name=job.run_name or name)
    yield from under({"job": f"jobs.{name}"}, found)


def maxtext_memory_rules(
    plan: Plan, ray: PlannedRay, job: MaxTextTraining, name: str
) -> Iterator[Problem]:
    chips = chips_of(plan, ray)
    # What a chip has to hold is not known where the cut is wrong.
    if not cut_is_wrong(job, chips):
        found = memory_problems(plan.facts.maxtext, job, chips)
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
    if job.checkpoint_period > job.steps:
        yield Problem(
            "job.checkpoint_period",
            f"{job.checkpoint_period} steps are never reached in {job.steps}; nearest: {job.steps}",
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


def memory_problems(table: MaxTextTable, job: MaxTextTraining, chips: Chips) -> Iterator[Problem]:
    """For a job whose factors make up the chips and the slices."""
    if _fits(table, job, chips):
        return
    shards = shards_of(job, chips)
    state = table.state(job.model, shards) / _GIB
    activations = activations_of(table, job) / _GIB
    why = (
        f"{job.model} needs {state + activations:.1f} GiB of a {chips.what} that has "
        f"{chips.memory_gib:g}: {state:.1f} of weights, optimizer and gradients cut over {shards} "
        f"{chips.what}s, "
        f"{activations:.1f} of activations"
    )
    left = chips.bytes - table.state(job.model, shards)
    if (size := left // table.activations(job.model, 1, job.max_target_length)) > 0:
        yield Problem("job.per_device_batch_size", f"{why}; nearest: {size}")
        return
    for field, cut in _cuts(job):
        if _fits(table, job.model_copy(update={field: cut}), chips):
            shown = ", ".join(f"{name}: {value}" for name, value in cut.factors().items())
            yield Problem(f"job.{field}", f"{why}; nearest: {{{shown}}}")
            return
    for model in table.models:
        if _fits(table, job.model_copy(update={"model": model}), chips):
            yield Problem("job.model", f"{why}; {_wanted(table, job, chips)}; nearest: {model}")
            return
    yield Problem("job", f"{why}; {_wanted(table, job, chips)}; nearest: leave it out")


def _fits(table: MaxTextTable, job: MaxTextTraining, chips: Chips) -> bool:
    needed = table.state(job.model, shards_of(job, chips)) + activations_of(table, job)
    return needed <= chips.bytes


def _cuts(job: MaxTextTraining) -> Iterator[tuple[str, SliceParallelism | DcnParallelism]]:
    """Fewer copies: none within a slice, then none at all, which an elastic job cannot have."""
    if job.ici.tensor > 0:
        yield "ici", SliceParallelism(fsdp=-1, tensor=job.ici.tensor)
    if job.elastic is None:
        yield "dcn", DcnParallelism(data=1, fsdp=-1)


def activations_of(table: MaxTextTable, job: MaxTextTraining) -> int:
    return table.activations(job.model, job.per_device_batch_size, job.max_target_length)


def shards_of(job: MaxTextTraining, chips: Chips) -> int:
    """The chips that hold one copy between them: `data` makes copies, all else cuts them up."""
    copies = filled(job.ici.factors(), chips.a_slice)["data"]
    copies *= filled(job.dcn.factors(), chips.slices)["data"]
    return chips.a_slice * chips.slices // copies


def filled(factors: dict[str, int], there: int) -> dict[str, int]:
    """The factors with -1 as what the others leave of `there`."""
    rest = there // prod(it for it in factors.values() if it != -1)
    return {name: rest if it == -1 else it for name, it in factors.items()}


def _wanted(table: MaxTextTable, job: MaxTextTraining, chips: Chips) -> str:
    """How many chips would do, or that none would."""
    left = chips.bytes - activations_of(table, job)
    if left <= 0:
        return f"no number of such {chips.what}s would do with this batch"
    number = -(-table.state(job.model, 1) // left)
    return f"{number} such {chips.what}s would do, cut by fsdp or tensor"
