"""What a change in place takes from the data of a resource, or from what keeps it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from components.buckets.bucket import BucketArgs
from stacks.data_loss import lost_in_place
from stacks.refusal import BUCKET

DAY = 86_400


def soft_delete(days: int) -> dict[str, Any]:
    return {"softDeletePolicy": {"retentionDurationSeconds": days * DAY}}


def versioning(enabled: bool) -> dict[str, Any]:
    return {"versioning": {"enabled": enabled}}


def delete_after(versions: int) -> dict[str, Any]:
    condition = {"numNewerVersions": versions}
    return {"lifecycleRules": [{"action": {"type": "Delete"}, "condition": condition}]}


# By the argument: the stronger properties, the weaker ones, and what is said.
WEAKENED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "soft_delete_days": (
        soft_delete(30),
        soft_delete(0),
        "soft delete keeps deleted objects for 0 days, 30 before",
    ),
    "versioning": (
        versioning(True),
        versioning(False),
        "versioning is off: an object that is overwritten or deleted leaves no version",
    ),
    "force_destroy": (
        {"forceDestroy": False},
        {"forceDestroy": True},
        "force_destroy is on: the bucket goes with all its objects when the stack goes",
    ),
    "lifecycle_rules": (
        delete_after(5),
        delete_after(1),
        "Cloud Storage deletes the objects that a new rule is for (numNewerVersions 1)",
    ),
}
# What no argument sets, and somebody may have set by hand.
BY_HAND: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a retention policy": (
        {"retentionPolicy": {"retentionPeriod": 30 * DAY}},
        {},
        "the retention policy keeps objects for 0 days, 30 before",
    ),
    "an event-based hold": (
        {"defaultEventBasedHold": True},
        {"defaultEventBasedHold": False},
        "the event-based hold is off: nothing holds new objects",
    ),
}
# These replace the bucket, or say nothing of what keeps its objects.
OTHERS = {
    "apis",
    "project",
    "location",
    "bucket_name",
    "labels",
    "hierarchical_namespace",
    # Objects keep the key that they were written with.
    "kms_key",
    "protect",
}


def test_each_argument_of_a_bucket_is_known_to_weaken_its_data_or_not() -> None:
    assert {it.name for it in fields(BucketArgs)} == OTHERS | set(WEAKENED)


@pytest.mark.parametrize("name", [*WEAKENED, *BY_HAND])
def test_what_keeps_data_less_is_told_in_one_line_and_what_keeps_it_more_is_not(name: str) -> None:
    strong, weak, line = (WEAKENED | BY_HAND)[name]
    assert list(lost_in_place(BUCKET, strong, weak)) == [line]
    assert list(lost_in_place(BUCKET, strong, strong)) == []
    if name != "lifecycle_rules":
        assert list(lost_in_place(BUCKET, weak, strong)) == []
