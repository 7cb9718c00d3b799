"""What is known of each job of a stack, and which layouts of a MaxText job fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from aistack.fit.gpus import fit_on_gpus
from aistack.fit.maxtext import slices_of
from aistack.fit.report import Fit
from aistack.fit.search import fitting
from aistack.fit.unjudged import not_judged
from stacks.parts.jobs.fine_tune import FineTuning
from stacks.parts.jobs.maxtext import MaxTextTraining
from stacks.parts.jobs.nemo_rl import NemoRlJob
from stacks.parts.jobs.verl import VerlTraining

if TYPE_CHECKING:
    from stacks.plan import Plan

Tell = Callable[[str], None]


def fits_of(
    plan: Plan, jobs: Mapping[str, Any], utilisation: float, *, compiles: bool, tell: Tell
) -> Iterator[Fit]:
    """What arithmetic refuses is compiled, too: a compiler says how much is missing."""
    for name, job in jobs.items():
        if isinstance(job, MaxTextTraining):
            for here in slices_of(plan, name, job, utilisation):
                if compiles:
                    tell(f"compiling {name}, slices: {here.chips.slices}; this takes minutes")
                yield here.compiled() if compiles else here.estimate()
        elif isinstance(job, VerlTraining | NemoRlJob | FineTuning):
            yield fit_on_gpus(plan, name, job, utilisation)
        elif (found := not_judged(plan, name, job, utilisation)) is not None:
            yield found


def layouts_of(
    plan: Plan,
    jobs: Mapping[str, Any],
    utilisation: float,
    *,
    most: int,
    compiles: bool,
    tell: Tell,
) -> Iterator[Fit]:
    """Of MaxText jobs alone, on all their slices; so many of each job."""
    for name, job in jobs.items():
        if isinstance(job, MaxTextTraining):
            whole = next(slices_of(plan, name, job, utilisation), None)
            if whole is not None:
                yield from fitting(whole, most=most, compiles=compiles, tell=tell)
