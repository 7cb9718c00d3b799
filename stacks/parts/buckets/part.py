"""Buckets."""

from collections.abc import Iterator

from stacks.parts.buckets.rules import RULES
from stacks.parts.part import Part
from stacks.plan import Plan

_STAND_INS = ({}, {"mount_path": "/stand-in"})


def apis(plan: Plan) -> Iterator[str]:
    if plan.stack.buckets:
        yield "storage"


PART = Part(key="buckets", rules=RULES, stand_ins=lambda _: _STAND_INS, apis=apis)
