"""The GKE cluster."""

from collections.abc import Mapping
from typing import Any

from stacks.parts.cluster.advice import advice
from stacks.parts.cluster.rules import RULES
from stacks.parts.part import Part


def stand_ins(raw: Mapping[str, Any]) -> tuple[Any, ...]:
    """An existing one is in the config's region."""
    existing = {"name": "cluster", "location": raw.get("region")}
    return {}, {"mode": "autopilot"}, {"existing": existing}, {"stack": "a/b/c"}


PART = Part(key="cluster", rules=RULES, stand_ins=stand_ins, advice=(advice,))
