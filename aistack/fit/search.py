"""The layouts and batches of a MaxText job that its chips hold, fastest first.

Arithmetic prunes what cannot fit, and orders the rest: a step takes as long as its computing at the
stated utilisation or, if that is longer, as what a chip has to exchange with others of its slice at
their links' full speed. A compiler has the last word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import log

from aistack.fit.maxtext import Slices, with_compiled
from aistack.fit.report import Fit
from stacks.parts.jobs.divisors import divisors
from stacks.parts.jobs.maxtext import DcnParallelism, SliceParallelism
from stacks.parts.jobs.maxtext_rules import memory_problems

# Compilations that are spent on a layout.
_TRIES = 3
_LARGEST_BATCH = 64


@dataclass(frozen=True)
class _Candidate:
    at: Slices
    seconds_a_token: float


def fitting(
    job: Slices, *, most: int, compiles: bool, tell: Callable[[str], None]
) -> Iterator[Fit]:
    """The first few; compiled ones alone where a compiler is there."""
    shown = 0
    for candidate in candidates(job):
        found = _confirmed(candidate.at, tell) if compiles else candidate.at.estimate()
        if found is not None:
            yield found
            shown += 1
        if shown == most:
            return


def candidates(job: Slices) -> list[_Candidate]:
    """Each layout with the largest batch that arithmetic lets through, fastest first."""
    found: list[_Candidate] = []
    for ici, dcn in product(_cuts(job.chips.a_slice), _between(job)):
        at = job.with_job(ici=ici, dcn=dcn)
        if _heads_are_whole(at) and (batch := _largest(at)):
            largest = at.with_job(per_device_batch_size=batch)
            found.append(_Candidate(largest, seconds_a_token(largest)))
    return sorted(found, key=_order)


def _order(it: _Candidate) -> tuple[float, ...]:
    """Of those that take as long, within a hundredth: the fewest cuts between slices, the most work
    a step, the fewest chips that share a layer."""
    job = it.at.job
    same = round(log(it.seconds_a_token) * 100)
    return (same, job.dcn.fsdp, -job.per_device_batch_size, job.ici.tensor)


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


def _largest(at: Slices) -> int:
    """0 where one sequence is too much."""
    fits = 0
    for batch in range(1, _LARGEST_BATCH + 1):
        larger = at.with_job(per_device_batch_size=batch)
        if next(memory_problems(at.table, larger.job, at.chips), None) is not None:
            break
        fits = batch
    return fits


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


def _confirmed(at: Slices, tell: Callable[[str], None]) -> Fit | None:
    """With the largest batch that a compiler takes, if it does after a few tries."""
    for _ in range(_TRIES):
        batch = at.job.per_device_batch_size
        tell(f"compiling {at.layout}, {batch} sequences a {at.chips.what}")
        found = at.compile()
        if found.fits:
            return with_compiled(at.estimate(), found)
        least = at.parts["weights, optimizer, gradients"]
        a_sequence = (found.used_gib - least) / batch
        left = (found.memory_gib or at.chips.memory_gib) - least
        smaller = min(batch - 1, int(left / a_sequence))
        if smaller < 1:
            return None
        at = at.with_job(per_device_batch_size=smaller)
    return None
