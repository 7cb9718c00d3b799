"""How long the steps of a MaxText job take, and how long the writes of its checkpoints. Pure.

Both are arithmetic: peak FLOPs at a stated utilisation, and what Google measured of Cloud Storage
FUSE or sells of Lustre. Nothing here is measured on TPUs.
"""

from __future__ import annotations

from catalog.accelerators import accelerator_facts
from stacks.parts.jobs.maxtext import MaxTextTraining
from stacks.parts.jobs.maxtext_rules import Chips
from stacks.plan import Plan
from stacks.stack import LUSTRE

UTILISATION = 0.4
_GIB_OF_TIB = 1024


def flops(plan: Plan, job: MaxTextTraining, chips: Chips) -> float:
    """Of one step on all chips."""
    sequences = job.per_device_batch_size * chips.a_slice * chips.slices
    return plan.facts.maxtext.models[job.model].flops(sequences, job.max_target_length)


def step_seconds(
    plan: Plan, job: MaxTextTraining, chips: Chips, utilisation: float = UTILISATION
) -> float | None:
    """None where the accelerator's peak is not known, as of a config's own machine type."""
    pool = plan.ray[plan.cluster_of(job)].accelerated.first
    # The references refuse a pool without TPUs, and rules those of which no topology is known.
    assert pool.machine.accelerator is not None
    assert pool.topology is not None
    peak = accelerator_facts(pool.machine.accelerator.type)
    if peak is None:
        return None
    devices = chips.a_slice * chips.slices
    tflops = devices / pool.topology.devices_per_chip * peak.bf16_tflops
    return flops(plan, job, chips) / (tflops * 1e12 * utilisation)


def write_seconds(plan: Plan, job: MaxTextTraining, chips: Chips) -> float | None:
    """Of one checkpoint, of which each host writes a part: the speed that Lustre is bought for, and
    of a bucket what Google measured. None of an instance that the stack does not make."""
    table, storage = plan.facts.maxtext, plan.storage_of(job)
    size = table.checkpoint(job.model)
    if storage == LUSTRE:
        return lustre_seconds(plan, size)
    group = plan.ray[plan.cluster_of(job)].accelerated
    share = size // (group.hosts * chips.slices)
    return plan.facts.gcsfuse.benchmark.seconds(share, table.checkpoint_file_bytes)


def lustre_seconds(plan: Plan, size: int) -> float | None:
    """Time that the stack's Lustre takes for `size` bytes at the speed that it is bought for."""
    lustre = plan.stack.lustre
    if lustre is None or lustre.capacity_gib is None or lustre.throughput_mbps_per_tib is None:
        return None
    return size / (lustre.capacity_gib / _GIB_OF_TIB * lustre.throughput_mbps_per_tib * 1e6)
