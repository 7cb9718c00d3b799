"""What MaxText 0.2.1 and elastic training demand of a run.

Sources: AI-Hypercomputer/maxtext, tag maxtext-v0.2.1, src/maxtext utils/max_utils.py
(fill_unspecified_mesh_axes) and configs/types.py; ray 2.56 train/v2; read 2026-11-21.
"""

from collections.abc import Iterator, Mapping
from itertools import count
from math import prod

from stacks.parts.jobs.maxtext_job import MaxTextJob
from stacks.problems import Problem


def maxtext_problems(
    job: MaxTextJob, *, run_name: str, chips: int, slices: int
) -> Iterator[Problem]:
    """`chips` are those of one slice."""
    yield from _product_problems("job.ici", job.ici.factors(), chips, "chips of a slice")
    yield from _product_problems("job.dcn", job.dcn.factors(), slices, "slices")
    yield from _elastic_problems(job, slices)
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


def _elastic_problems(job: MaxTextJob, slices: int) -> Iterator[Problem]:
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
