"""Managed Lustre."""

from stacks.parts.lustre.advice import advice
from stacks.parts.lustre.rules import RULES, references
from stacks.parts.part import Part

_STAND_INS = (
    {"name": "lustre", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000},
    {"name": "lustre", "capacity_gib": 18000, "throughput_mbps_per_tib": 500},
    {"existing": "lustre"},
)


PART = Part(
    key="lustre",
    rules=RULES,
    references=references,
    stand_ins=lambda _: _STAND_INS,
    advice=(advice,),
)
