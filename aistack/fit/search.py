"""The layouts of a MaxText job that its chips hold, fastest first.

Arithmetic drops the layouts that cannot hold the job, and orders the others, all with one batch: a
step takes as long as its computing at the stated utilisation or, if that is longer, as what a chip
has to exchange with others of its slice at their links' full speed. How large a batch a layout
holds, only a compiler says: with one, each layout has the largest batch that it took.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import log

from aistack.fit.maxtext import Slices
from aistack.fit.report import Fit
from stacks.parts.jobs.divisors import divisors
from stacks.parts.jobs.maxtext import DcnParallelism, SliceParallelism
from stacks.parts.jobs.maxtext_rules import is_possible, largest_likely_batch

# Compilations that are spent on a layout.
_TRIES = 3


def fitting(
    job: Slices, *, most: int, compiles: bool, tell: Callable[[str], None]
) -> Iterator[Fit]:
    """The first few layouts, by arithmetic; with a compiler those that it has taken."""
    ordered = candidates(job)
    if not compiles:
        yield from (at.estimate() for at in ordered[:most])
        return
    compiled: list[tuple[Slices, Fit]] = []
    for at in ordered:
        if (found := _compiled(at, tell)) is not None:
            compiled.append(found)
        if len(compiled) == most:
            break
    yield from (fit for _, fit in sorted(compiled, key=lambda it: _order(it[0])))


def candidates(job: Slices) -> list[Slices]:
    """The layouts that arithmetic lets through, fastest first, all with the job's own batch; where
    none holds that, with the largest that one of them is likely to hold."""
    layouts = [
        at
        for ici, dcn in product(_cuts(job.chips.a_slice), _between(job))
        if _heads_are_whole(at := job.with_job(ici=ici, dcn=dcn))
    ]
    batch = job.job.per_device_batch_size
    if not any(map(_is_possible, layouts)):
        likely = (largest_likely_batch(it.table, it.job, it.chips) for it in layouts)
        batch = max(1, max(likely, default=1))
    alike = [_with_batch(it, batch) for it in layouts]
    return sorted(filter(_is_possible, alike), key=_order)


def _with_batch(at: Slices, batch: int) -> Slices:
    return at.with_job(per_device_batch_size=batch)


def _is_possible(at: Slices) -> bool:
    return is_possible(at.table, at.job, at.chips)


def _order(at: Slices) -> tuple[float, ...]:
    """Of layouts that take as long, within a hundredth: the fewest cuts between slices, the most
    work a step, the fewest chips that share a layer."""
    same = round(log(seconds_a_token(at)) * 100)
    return (same, at.job.dcn.fsdp, -at.job.per_device_batch_size, at.job.ici.tensor)


def _cuts(chips: int) -> Iterator[SliceParallelism]:
    for tensor in divisors(chips):
        for fsdp in divisors(chips // tensor):
            yield SliceParallelism(fsdp=fsdp, tensor=tensor, data=chips // tensor // fsdp)


def _between(job: Slices) -> Iterator[DcnParallelism]:
    """An elastic job keeps the cut between its slices open."""
    if job.job.elastic is not None or job.chips.slices == 1:
        yield DcnParallelism()
        return
    for fsdp in divisors(job.chips.slices):
        yield DcnParallelism(data=job.chips.slices // fsdp, fsdp=fsdp)


def _heads_are_whole(at: Slices) -> bool:
    shape = at.table.models[at.job.model]
    return shape.kv_heads % at.job.ici.tensor == 0


def seconds_a_token(at: Slices) -> float:
    """Of all chips together. Weights are gathered twice and gradients scattered once, bfloat16,
    where they are cut up; where chips share a layer its output is summed up four times. Between
    slices nothing is counted, for what their network does nobody promises."""
    shape, job = at.table.models[at.job.model], at.job
    tokens = job.per_device_batch_size * job.max_target_length
    tensor, bytes_ = job.ici.tensor, at.table.activation_bytes
    weights = shape.parameters / tensor
    moved = 3 * weights * bytes_ * (1 - 1 / job.ici.fsdp)
    # A ring sends each number twice.
    moved += 4 * 2 * shape.layers * tokens * tensor * shape.width * bytes_ * (1 - 1 / tensor)
    # XLA moves what it can while it computes.
    seconds = max(at.step_seconds or 0.0, moved / _links(at))
    return seconds / (tokens * at.count)


def _links(at: Slices) -> float:
    """Bytes a second of one of those that JAX sees; where it is not known, all layouts count
    alike."""
    peak = at.peak
    if peak is None or peak.interconnect_gbps is None:
        return 1e30
    return peak.interconnect_gbps * 1e9 * at.share


def _compiled(at: Slices, tell: Callable[[str], None]) -> tuple[Slices, Fit] | None:
    """The layout with the largest batch that a compiler took in a few tries; None where it took
    none, not even a single sequence. The first try is the batch that arithmetic calls likely, and
    each compilation says how much a sequence takes."""
    best: tuple[Slices, Fit] | None = None
    taken, too_large = 0, None
    batch = max(1, largest_likely_batch(at.table, at.job, at.chips))
    for left in reversed(range(_TRIES)):
        if not left and best is None:
            batch = 1
        trial = _with_batch(at, batch)
        tell(f"compiling {trial.layout}, {batch} sequences a {trial.chips.what}")
        found = trial.compile()
        if trial.can_load(found):
            best, taken = (trial, trial.with_compiled(found)), batch
        else:
            too_large = batch
        batch = trial.next_batch(found)
        if too_large is not None:
            batch = max(1, min(batch, too_large - 1))
        if batch <= taken or batch == too_large:
            break
    return best
