"""How long a checkpoint takes to be written, where the storage promises a speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stacks.parts.jobs.maxtext_steps import lustre_seconds
from stacks.stack import LUSTRE

if TYPE_CHECKING:
    from stacks.plan import Plan


def seconds_to_write(plan: Plan, storage: str | None, size: int) -> float | None:
    """At what the Lustre instance is bought for; a bucket promises nothing."""
    return lustre_seconds(plan, size) if storage == LUSTRE else None
