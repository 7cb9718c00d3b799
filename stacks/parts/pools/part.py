"""Node pools."""

from stacks.parts.part import Part
from stacks.parts.pools.rules import RULES, references

_STAND_INS = (
    {"machine_type": "g2-standard-8", "nodes": 1},
    {"machine_type": "ct6e-standard-4t", "topology": "2x2", "slices": 1},
    {"machine_type": "e2-standard-4", "nodes": 1},
)
PART = Part(key="pools", rules=RULES, references=references, stand_ins=lambda _: _STAND_INS)
