"""RayClusters."""

from typing import Any

from stacks.parts.part import Part
from stacks.parts.ray.advice import advice
from stacks.parts.ray.rules import RULES, references


def _cluster(workers: str, *, redis: bool) -> dict[str, Any]:
    """A RayCluster that fits any node."""
    pod = {"requests": {"cpu": 1, "memory_gib": 1}}
    return {"head": {**pod, "redis": redis}, "workers": {workers: pod}}


_STAND_INS = (_cluster("cpu", redis=False), _cluster("gpu", redis=True))
PART = Part(
    key="ray",
    rules=RULES,
    references=references,
    stand_ins=lambda _: _STAND_INS,
    advice=(advice,),
)
