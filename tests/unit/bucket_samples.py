"""Buckets as a stack's plan has them."""

from typing import Any

from catalog import Catalog
from stacks.parts.buckets.config import StackBucket
from stacks.parts.buckets.plan import PlannedBucket


def planned(*, files: int = 1, **mount: Any) -> PlannedBucket:
    """One with real folders, to which a pod writes so many files at once."""
    return PlannedBucket(
        key="bucket",
        config=StackBucket.model_validate({"mount": mount}),
        name="rl-demo-data",
        facts=Catalog.load(),
        files_at_once=files,
    )
