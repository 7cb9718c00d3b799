"""What data goes with a resource that is deleted, in words. Pure."""

from collections.abc import Mapping
from typing import Any

from stacks import refusal


def data_lost(token: str, values: Mapping[str, Any]) -> str | None:
    """By the resource's properties, of inputs or outputs; None for what holds none."""
    match token:
        case refusal.LUSTRE:
            return f"all data on {values.get('capacityGib', 'an unknown number of')} GiB lost"
        case "gcp:redis/instance:Instance":
            gib = values.get("memorySizeGb", "an unknown number of")
            return f"all data in {gib} GiB lost: Ray clusters on it forget their actors and jobs"
        case "gcp:storage/bucket:Bucket":
            return _of_bucket(values)
        case _:
            return None


def _of_bucket(values: Mapping[str, Any]) -> str:
    if not values.get("forceDestroy"):
        return "data kept: the delete fails unless the bucket is empty"
    days = int((values.get("softDeletePolicy") or {}).get("retentionDurationSeconds") or 0) // 86400
    kept = f"; soft delete keeps them for {days} days" if days else ""
    return f"all objects lost{kept}"
