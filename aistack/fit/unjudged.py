"""Jobs on accelerators whose memory nobody knows beforehand: what they run is the user's own, or is
no language model. They are listed, so that their silence is not taken for a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aistack.fit.report import Fit, How
from catalog.accelerators import usable_gib
from stacks.parts.jobs.image_classifier import ImageClassifierTraining
from stacks.parts.jobs.script import Script

if TYPE_CHECKING:
    from stacks.parts.pools.plan import PlannedPool
    from stacks.plan import Plan

_NOTE = "what the job keeps in memory is not known before it runs"


def not_judged(
    plan: Plan, name: str, job: Script | ImageClassifierTraining, utilisation: float
) -> Fit | None:
    """None where the job has no accelerators."""
    pool, count = _accelerators(plan, name, job)
    accelerator = None if pool is None else pool.machine.accelerator
    if pool is None or accelerator is None or not count:
        return None
    devices = 1 if pool.topology is None else pool.topology.devices_per_chip
    return Fit(
        job=name,
        model="unknown" if isinstance(job, Script) else "an image classifier",
        layout="its own",
        accelerator=accelerator.type,
        accelerators=count,
        how=How.NOT_JUDGED,
        memory_gib=usable_gib(accelerator, devices),
        parts={},
        utilisation=utilisation,
        note=_NOTE,
    )


def _accelerators(
    plan: Plan, name: str, job: Script | ImageClassifierTraining
) -> tuple[PlannedPool | None, int]:
    """The pool that has them, and how many the job's pods or its RayCluster's workers have."""
    if isinstance(job, Script) and job.ray is None:
        script = plan.scripts[name]
        return script.pool, script.gpus * job.nodes
    group = plan.ray[plan.cluster_of(job)].accelerated
    return group.first, group.count * group.hosts * (group.gpus or group.chips)
