"""What a MaxText job that no rule refuses may still cost. Pure.

Its memory may be more than the lower bound, its checkpoints may come faster than the storage takes
them, and losses or upgrades may end it.
"""

from collections.abc import Iterator

from stacks.commands import aistack, of_stack
from stacks.parts.cluster.config import KEEP_NODES
from stacks.parts.jobs.maxtext import MaxTextTraining
from stacks.parts.jobs.maxtext_rules import (
    Chips,
    chips_of,
    cut_is_wrong,
    is_likely,
    largest_likely_batch,
    needs_of,
)
from stacks.parts.jobs.maxtext_steps import UTILISATION, step_seconds, write_seconds
from stacks.plan import Plan

_GIB = 2**30


def advice(plan: Plan) -> Iterator[str]:
    for name, job in plan.ray_jobs.items():
        if isinstance(job, MaxTextTraining):
            yield from _advice(plan, f"jobs.{name}", job)


def _advice(plan: Plan, field: str, job: MaxTextTraining) -> Iterator[str]:
    chips = chips_of(plan.ray[plan.cluster_of(job)])
    if not cut_is_wrong(job, chips):
        yield from _memory(plan, field, job, chips)
    yield from _checkpoints(plan, field, job, chips)
    yield from _losses(plan, field, job)
    yield from _upgrades(plan, field, job)


def _memory(plan: Plan, field: str, job: MaxTextTraining, chips: Chips) -> Iterator[str]:
    table = plan.facts.maxtext
    if is_likely(table, job, chips):
        return
    least = needs_of(table, job, chips).bytes / _GIB
    size = largest_likely_batch(table, job, chips)
    near = f"per_device_batch_size {size}, or " if size else ""
    yield (
        f"{field}: at least {least:.1f} GiB of a {chips.what} that has {chips.memory_gib:g}, and "
        f"compilers have counted up to {table.margin:.1f} times such a bound; nearest: {near}"
        f"`{of_stack(f'{aistack()} fit')}`, which compiles the job"
    )


def _checkpoints(plan: Plan, field: str, job: MaxTextTraining, chips: Chips) -> Iterator[str]:
    step, write = step_seconds(plan, job, chips), write_seconds(plan, job, chips)
    if step is None or write is None or write <= step * job.saves_every:
        return
    size = plan.facts.maxtext.checkpoint(job.model) / 1e9
    period = -int(-write // step)
    near = str(period) if period <= job.steps else "more steps"
    yield (
        f"{field}.checkpoint_period: a checkpoint of {size:,.0f} GB takes its storage "
        f"{write:,.0f} s or more, and the {job.saves_every} steps to the next take "
        f"{step * job.saves_every:,.0f} s at {UTILISATION:.0%} of the peak, so training waits for "
        f"writes; nearest: {near}"
    )


def _losses(plan: Plan, field: str, job: MaxTextTraining) -> Iterator[str]:
    if job.runs_again:
        return
    if job.elastic is None:
        pools = plan.ray[plan.cluster_of(job)].accelerated.pools
        if any(it.is_spot for it in pools):
            yield (
                f"{field}.retries: the slices are spot machines, and the first that Google takes "
                "away ends the job, although its checkpoints are there; nearest: retries 3, or "
                "elastic"
            )
        return
    if job.elastic.max_failures == -1:
        return
    yield (
        f"{field}.retries: the job fails for good with loss {job.elastic.max_failures + 1} of a "
        "slice (elastic.max_failures), although its checkpoints are there; nearest: leave it out"
    )


def _upgrades(plan: Plan, field: str, job: MaxTextTraining) -> Iterator[str]:
    """An elastic job survives an upgrade as it does a loss."""
    if job.elastic is not None or not plan.stack.cluster.is_made:
        return
    window = plan.stack.cluster.maintenance
    exclusions = () if window is None else window.exclusions
    if any(it.scope in KEEP_NODES for it in exclusions):
        return
    yield (
        f"{field}: GKE may upgrade the nodes of a slice while the job runs, which ends it, retries "
        f"({job.runs_again}); nearest: an exclusion NO_MINOR_OR_NODE_UPGRADES in "
        "cluster.maintenance, or elastic"
    )
