"""Buckets."""

from stacks.parts.buckets.rules import RULES
from stacks.parts.part import Part

_STAND_INS = ({}, {"mount_path": "/stand-in"})


PART = Part(key="buckets", rules=RULES, stand_ins=lambda _: _STAND_INS)
