"""How often a job was made anew because it had failed: an annotation of its object. Pure."""

from collections.abc import Mapping
from typing import Any

ATTEMPT = "gke-ai-stacks/attempt"


def attempt_of(obj: Mapping[str, Any]) -> int:
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    return int(annotations.get(ATTEMPT, 0))
