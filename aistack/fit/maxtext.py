"""What a MaxText job asks of its chips: by arithmetic, and compiled for the real chips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from aistack.fit.compiler import Compiled, compile_step
from aistack.fit.report import Fit, How, Storage
from aistack.fit.storage import seconds_to_write
from catalog.accelerators import AcceleratorFacts, accelerator_facts
from stacks.parts.jobs.maxtext import MaxTextTraining, SliceParallelism
from stacks.parts.jobs.maxtext_rules import (
    Chips,
    activations_of,
    chips_of,
    cut_is_wrong,
    filled,
    memory_problems,
    shards_of,
)

if TYPE_CHECKING:
    from catalog import MaxTextTable, Topology
    from stacks.plan import Plan
    from stacks.problems import Problem

_GIB = 2**30
_ESTIMATE = "catalog/data/maxtext.yaml; without logits and what one layer needs at a time"
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
        state = self.table.state(self.job.model, shards_of(self.job, self.chips))
        return {
            "weights, optimizer, gradients": state / _GIB,
            "layers' inputs": activations_of(self.table, self.job) / _GIB,
        }

    @property
    def flops(self) -> float:
        """Of a step on all chips."""
        shape = self.table.models[self.job.model]
        return shape.flops(self.job.per_device_batch_size * self.count, self.job.max_target_length)

    @property
    def step_seconds(self) -> float | None:
        if self.peak is None:
            return None
        peak = self.count * self.share * self.peak.bf16_tflops * 1e12
        return self.flops / (peak * self.utilisation)

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
        every = None if step is None else step * self.job.checkpoint_period
        return Storage(
            checkpoint_gb=size / 1e9,
            period=f"{self.job.checkpoint_period} steps",
            seconds=seconds_to_write(self.plan, self.plan.storage_of(self.job), size),
            every_seconds=every,
        )

    def estimate(self) -> Fit:
        """A lower bound: what is too large by it cannot fit, what is not still may not."""
        used = sum(self.parts.values())
        broken = list(memory_problems(self.table, self.job, self.chips))
        return Fit(
            job=self.name,
            model=self.job.model,
            layout=f"{self.layout}, {self.job.per_device_batch_size} sequences a {self.chips.what}",
            accelerator=self.accelerator,
            accelerators=round(self.count * self.share),
            slices=self.chips.slices,
            how=How.ESTIMATE,
            fits=not broken,
            used_gib=used,
            memory_gib=self.chips.memory_gib,
            parts=self.parts,
            nearest=self._nearest(broken[0]) if broken else None,
            tflops=self.flops / 1e12,
            step_seconds=self.step_seconds,
            utilisation=self.utilisation,
            storage=self.storage,
            sources=(_ESTIMATE, _FLOPS),
        )

    def _nearest(self, broken: Problem) -> str:
        """What the rule offers, and the smallest slices on which the model fits as it is."""
        offer = broken.message.rpartition("; nearest: ")[2]
        said = f"{broken.field.removeprefix('job').removeprefix('.')} {offer}".strip()
        pool = self.plan.ray[self.plan.cluster_of(self.job)].accelerated.first
        for name, topology in self.plan.facts.topologies(pool.machine.name).items():
            chips = replace(self.chips, a_slice=topology.devices)
            ici = SliceParallelism(tensor=self.job.ici.tensor)
            job = self.job.model_copy(update={"ici": ici})
            if topology.devices <= self.chips.a_slice or cut_is_wrong(job, chips):
                continue
            if not list(memory_problems(self.table, job, chips)):
                cut = f"{{fsdp: -1, tensor: {ici.tensor}}}"
                return f"{said}, or {pool.field}.topology {name} with ici {cut}"
        return said

    def compiled(self) -> Fit:
        """What XLA makes of it for these chips. Raises VerbError."""
        return with_compiled(self.estimate(), self.compile())

    def compile(self) -> Compiled:
        pool = self.plan.ray[self.plan.cluster_of(self.job)].accelerated.first
        flags = " ".join(it.argument for it in pool.flags)
        options = {
            "run_name": self.name,
            "base_output_directory": "/tmp",
            **self.job.step_options(),
        }
        at = self.topology
        return compile_step(options, flags, at.name, at.generation, self.chips.slices)

    def with_job(self, **values: object) -> Slices:
        return replace(self, job=self.job.model_copy(update=values))


def with_compiled(estimate: Fit, found: Compiled) -> Fit:
    memory = found.memory_gib or estimate.memory_gib
    return replace(
        estimate,
        how=How.COMPILED,
        fits=found.fits,
        used_gib=found.used_gib,
        memory_gib=memory,
        nearest=None if found.fits else estimate.nearest,
        sources=(
            f"train_compile of {found.by}, here in {found.seconds:.0f} s",
            *estimate.sources[1:],
        ),
    )


def slices_of(plan: Plan, name: str, job: MaxTextTraining, utilisation: float) -> Iterator[Slices]:
    """For all its slices, and for every number that an elastic job may shrink to."""
    chips = chips_of(plan, plan.ray[plan.cluster_of(job)])
    least = chips.slices if job.elastic is None else job.elastic.min_slices
    for count in range(chips.slices, least - 1, -1):
        here = replace(chips, slices=count)
        if not cut_is_wrong(job.model_copy(update={"elastic": None}), here):
            yield Slices(plan=plan, name=name, job=job, chips=here, utilisation=utilisation)
