"""What a MaxText job asks of its chips: by arithmetic, and compiled for the real chips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from aistack.fit.compiler import Compiled, compile_step
from aistack.fit.report import Fit, How, Storage, Verdict
from aistack.offered import offered
from catalog.accelerators import AcceleratorFacts, accelerator_facts
from stacks.parts.jobs.maxtext import MaxTextTraining
from stacks.parts.jobs.maxtext_rules import (
    Chips,
    chips_of,
    cut_is_wrong,
    filled,
    larger_slices,
    memory_problems,
    needs_of,
)
from stacks.parts.jobs.maxtext_steps import flops, step_seconds, write_seconds
from stacks.stack import LUSTRE

if TYPE_CHECKING:
    from catalog import MaxTextTable, Topology
    from stacks.plan import Plan
    from stacks.problems import Problem

_GIB = 2**30
_ESTIMATE = (
    "catalog/data/maxtext.yaml; without copies in float32 and what one layer needs at a time"
)
_FLOPS = "FLOPs as MaxText's utils/maxtext_utils.py has them, over catalog/data/accelerators.yaml"


@dataclass(frozen=True, kw_only=True)
class Slices:
    """A MaxText job on some of its slices."""

    plan: Plan
    name: str
    job: MaxTextTraining
    chips: Chips
    utilisation: float

    @property
    def count(self) -> int:
        return self.chips.a_slice * self.chips.slices

    @property
    def table(self) -> MaxTextTable:
        return self.plan.facts.maxtext

    @property
    def topology(self) -> Topology:
        found = self.plan.ray[self.plan.cluster_of(self.job)].accelerated.first.topology
        # The references refuse a pool without one.
        assert found is not None
        return found

    @property
    def accelerator(self) -> str:
        machine = self.plan.ray[self.plan.cluster_of(self.job)].accelerated.first.machine
        assert machine.accelerator is not None
        return machine.accelerator.type

    @property
    def peak(self) -> AcceleratorFacts | None:
        """Of a chip."""
        return accelerator_facts(self.accelerator)

    @property
    def share(self) -> float:
        """Of a chip what one of those is that JAX sees."""
        return 1 / self.topology.devices_per_chip

    @cached_property
    def parts(self) -> dict[str, float]:
        """GiB of a chip, as far as arithmetic knows them."""
        needs = needs_of(self.table, self.job, self.chips)
        return {what: size / _GIB for what, size in needs.parts.items()}

    @property
    def state_gib(self) -> float:
        """GiB of a chip that no batch changes."""
        return needs_of(self.table, self.job, self.chips).state / _GIB

    @property
    def flops(self) -> float:
        """Of a step on all chips."""
        return flops(self.plan, self.job, self.chips)

    @property
    def step_seconds(self) -> float | None:
        return step_seconds(self.plan, self.job, self.chips, self.utilisation)

    @property
    def layout(self) -> str:
        ici = filled(self.job.ici.factors(), self.chips.a_slice)
        dcn = filled(self.job.dcn.factors(), self.chips.slices)
        shown = [f"{key} {it}" for key, it in ici.items() if it > 1]
        between = [f"{key} {it}" for key, it in dcn.items() if it > 1]
        inside = " x ".join(shown) or f"one {self.chips.what}"
        return f"{inside}, between slices {' x '.join(between)}" if between else inside

    @property
    def storage(self) -> Storage:
        size = self.table.checkpoint(self.job.model)
        step = self.step_seconds
        every = None if step is None else step * self.job.saves_every
        return Storage(
            checkpoint_gb=size / 1e9,
            period=f"{self.job.saves_every} steps",
            seconds=write_seconds(self.plan, self.job, self.chips),
            measured=self.plan.storage_of(self.job) != LUSTRE,
            every_seconds=every,
        )

    def estimate(self) -> Fit:
        """A lower bound: what is too large by it cannot fit, what is not still may not."""
        used = sum(self.parts.values())
        ray = self.plan.ray[self.plan.cluster_of(self.job)]
        larger = larger_slices(self.plan, ray)
        broken = list(memory_problems(self.table, self.job, self.chips, larger))
        return Fit(
            job=self.name,
            model=self.job.model,
            layout=f"{self.layout}, {self.job.per_device_batch_size} sequences a {self.chips.what}",
            accelerator=self.accelerator,
            accelerators=round(self.count * self.share),
            slices=self.chips.slices,
            how=How.ESTIMATE,
            verdict=Verdict.NO if broken else Verdict.MAYBE,
            used_gib=used,
            memory_gib=self.chips.memory_gib,
            parts=self.parts,
            compiled_before=(
                "compilers have counted up to "
                f"{self.table.margin:.1f} times such a bound: {used * self.table.margin:.1f} GiB"
            ),
            nearest=_nearest(broken[0]) if broken else None,
            tflops=self.flops / 1e12,
            step_seconds=self.step_seconds,
            utilisation=self.utilisation,
            storage=self.storage,
            sources=(_ESTIMATE, _FLOPS),
        )

    def compiled(self) -> Fit:
        """What XLA makes of it for these chips. Raises VerbError."""
        return self.with_compiled(self.compile())

    def with_compiled(self, found: Compiled) -> Fit:
        """The estimate with a compiler's numbers in place of its own."""
        estimate = self.estimate()
        verdict, note = self._verdict(found)
        return replace(
            estimate,
            how=How.COMPILED,
            verdict=verdict,
            used_gib=found.used_gib,
            memory_gib=self._memory(found),
            compiled_before=None,
            nearest=None if found.fits else estimate.nearest or self._smaller(found),
            note=note,
            sources=(
                f"train_compile of {found.by}, here in {found.seconds:.0f} s",
                *estimate.sources[1:],
            ),
        )

    def _verdict(self, found: Compiled) -> tuple[Verdict, str | None]:
        """Of the compiled step, and of the whole that has to be in memory when the step runs."""
        if not found.fits:
            return Verdict.NO, None
        if not self.job.install_maxtext:
            return Verdict.MAYBE, (
                f"compiled by {found.by}; the workers run what their image has "
                "(install_maxtext: false)"
            )
        if not self.can_load(found):
            return Verdict.MAYBE, (
                "each buffer has its place in the compiled step, but its arguments and the program "
                f"beside them are {found.loaded_gib:.1f} GiB of {self._memory(found):g}: the "
                "runtime may refuse to load it (XLA's error 0101)"
            )
        return Verdict.FITS, None

    def can_load(self, found: Compiled) -> bool:
        """Whether a step that was compiled has room beside its arguments."""
        loaded = found.used_gib if found.loaded_gib is None else found.loaded_gib
        return found.fits and loaded <= self._memory(found)

    def next_batch(self, found: Compiled) -> int:
        """Sequences that the memory has room for, by what the compiler counted for this batch."""
        used = max(found.used_gib, found.loaded_gib or 0.0)
        a_sequence = (used - self.state_gib) / self.job.per_device_batch_size
        return int((self._memory(found) - self.state_gib) / a_sequence)

    def _memory(self, found: Compiled) -> float:
        return found.memory_gib or self.chips.memory_gib

    def _smaller(self, found: Compiled) -> str:
        batch = min(self.next_batch(found), self.job.per_device_batch_size - 1)
        if batch > 0:
            return f"per_device_batch_size {batch}"
        return f"another layout, by `{offered('fit', '--search')}`, or a larger topology"

    def compile(self) -> Compiled:
        """With weights and optimizer in what is used, whatever the compiler counted. Raises
        VerbError."""
        pool = self.plan.ray[self.plan.cluster_of(self.job)].accelerated.first
        flags = " ".join(it.argument for it in pool.flags)
        options = {
            "run_name": self.name,
            "base_output_directory": "/tmp",
            **self.job.step_options(),
        }
        at = self.topology
        found = compile_step(options, flags, at.name, at.generation, self.chips.slices)
        if not found.without_arguments:
            return found
        return replace(found, used_gib=found.used_gib + self.state_gib, without_arguments=False)

    def with_job(self, **values: object) -> Slices:
        return replace(self, job=self.job.model_copy(update=values))


def _nearest(broken: Problem) -> str:
    """What the rule offers, with the field that it is for."""
    offer = broken.message.rpartition("; nearest: ")[2]
    return f"{broken.field.removeprefix('job').removeprefix('.')} {offer}".strip()


def slices_of(plan: Plan, name: str, job: MaxTextTraining, utilisation: float) -> Iterator[Slices]:
    """For all its slices, and for every number that an elastic job may shrink to."""
    chips = chips_of(plan.ray[plan.cluster_of(job)])
    least = chips.slices if job.elastic is None else job.elastic.min_slices
    for count in range(chips.slices, least - 1, -1):
        here = replace(chips, slices=count)
        if not cut_is_wrong(job.model_copy(update={"elastic": None}), here):
            yield Slices(plan=plan, name=name, job=job, chips=here, utilisation=utilisation)
