"""Redis."""

from stacks.parts.part import Part
from stacks.parts.redis.rules import RULES
from stacks.stack import Stack


def is_named(stack: Stack) -> bool:
    return any(it.head.redis for it in stack.ray.values())


PART = Part(key="redis", rules=RULES, is_named=is_named, stand_ins=lambda _: ({},))
