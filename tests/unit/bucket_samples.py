"""Buckets as a stack's plan has them."""

from typing import Any

from catalog import Catalog
from stacks.parts.buckets.config import StackBucket
from stacks.parts.buckets.plan import PlannedBucket
from tests.parts.samples import BARE

# A stack with a bucket whose objects go, or become cheaper, by rules.
RULED = {
    **BARE,
    "buckets": {
        "data": {
            "hierarchical_namespace": False,
            "versioning": True,
            "lifecycle": [
                {"action": "delete", "num_newer_versions": 3, "days_since_noncurrent": 7},
                {"action": "set-storage-class", "storage_class": "coldline", "prefixes": ["done/"]},
                {"action": "delete", "age_days": 90, "suffixes": [".log", ".tmp"]},
            ],
        }
    },
}


def planned(*, files: int = 1, **mount: Any) -> PlannedBucket:
    """One with real folders, to which a pod writes so many files at once."""
    return PlannedBucket(
        key="bucket",
        config=StackBucket.model_validate({"mount": mount}),
        name="rl-demo-data",
        facts=Catalog.load(),
        files_at_once=files,
    )
