"""Whether a MaxText training fits the memory of its chips, by plain arithmetic.

What is left out only adds to it, so that what is refused cannot fit; what passes still may not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from catalog import MaxTextTable
from stacks.parts.jobs.maxtext_job import DcnParallelism, MaxTextJob, SliceParallelism
from stacks.problems import Problem

_GIB = 2**30


@dataclass(frozen=True)
class Chips:
    """`a_slice` of them in each of `slices`; `memory_gib` of one."""

    a_slice: int
    slices: int
    memory_gib: int


def memory_problems(table: MaxTextTable, job: MaxTextJob, chips: Chips) -> Iterator[Problem]:
    """For a job whose factors make up the chips and the slices."""
    if _fits(table, job, chips):
        return
    shards = _shards(job, chips)
    state = table.state(job.model, shards) / _GIB
    activations = _activations(table, job) / _GIB
    why = (
        f"{job.model} needs {state + activations:.1f} GiB of a chip that has {chips.memory_gib}: "
        f"{state:.1f} of weights, optimizer and gradients cut over {shards} chips, "
        f"{activations:.1f} of activations"
    )
    left = chips.memory_gib * _GIB - table.state(job.model, shards)
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


def _fits(table: MaxTextTable, job: MaxTextJob, chips: Chips) -> bool:
    needed = table.state(job.model, _shards(job, chips)) + _activations(table, job)
    return needed <= chips.memory_gib * _GIB


def _cuts(job: MaxTextJob) -> Iterator[tuple[str, SliceParallelism | DcnParallelism]]:
    """Fewer copies: none within a slice, then none at all, which an elastic job cannot have."""
    if job.ici.tensor > 0:
        yield "ici", SliceParallelism(fsdp=-1, tensor=job.ici.tensor)
    if job.elastic is None:
        yield "dcn", DcnParallelism(data=1, fsdp=-1)


def _activations(table: MaxTextTable, job: MaxTextJob) -> int:
    return table.activations(job.model, job.per_device_batch_size, job.max_target_length)


def _shards(job: MaxTextJob, chips: Chips) -> int:
    """The chips that hold one copy between them: `data` makes copies, all else cuts them up."""
    copies = _filled(job.ici.factors(), chips.a_slice)["data"]
    copies *= _filled(job.dcn.factors(), chips.slices)["data"]
    return chips.a_slice * chips.slices // copies


def _filled(factors: dict[str, int], there: int) -> dict[str, int]:
    """The factors with -1 as what the others leave of `there`."""
    rest = there // prod(it for it in factors.values() if it != -1)
    return {name: rest if it == -1 else it for name, it in factors.items()}


def _wanted(table: MaxTextTable, job: MaxTextJob, chips: Chips) -> str:
    """How many chips would do, or that none would."""
    left = chips.memory_gib * _GIB - _activations(table, job)
    if left <= 0:
        return "no number of such chips would do with this batch"
    return f"{-(-table.state(job.model, 1) // left)} such chips would do, cut by fsdp or tensor"
