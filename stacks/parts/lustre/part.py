"""Managed Lustre."""

from collections.abc import Iterator

from stacks.parts.lustre.advice import advice
from stacks.parts.lustre.rules import RULES, references
from stacks.parts.part import Part
from stacks.plan import Plan

_STAND_INS = (
    {"name": "lustre", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000},
    {"name": "lustre", "capacity_gib": 18000, "throughput_mbps_per_tib": 500},
    {"existing": "lustre"},
)


def apis(plan: Plan) -> Iterator[str]:
    if plan.stack.makes_lustre:
        yield "lustre"


PART = Part(
    key="lustre",
    rules=RULES,
    references=references,
    stand_ins=lambda _: _STAND_INS,
    apis=apis,
    advice=(advice,),
)
