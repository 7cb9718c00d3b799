"""How long a checkpoint takes to be written, where the storage promises a speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stacks.stack import LUSTRE

if TYPE_CHECKING:
    from stacks.plan import Plan

_GIB_OF_TIB = 1024


def seconds_to_write(plan: Plan, storage: str | None, size: int) -> float | None:
    """At what the Lustre instance is bought for; a bucket promises nothing."""
    lustre = plan.stack.lustre
    if storage != LUSTRE or lustre is None:
        return None
    if lustre.capacity_gib is None or lustre.throughput_mbps_per_tib is None:
        return None
    speed = lustre.capacity_gib / _GIB_OF_TIB * lustre.throughput_mbps_per_tib
    return size / (speed * 1e6)
