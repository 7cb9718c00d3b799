"""Redis."""

from collections.abc import Iterator

from stacks.parts.part import Part
from stacks.parts.redis.rules import RULES
from stacks.plan import Plan
from stacks.stack import Stack


def is_named(stack: Stack) -> bool:
    return any(it.head.redis for it in stack.ray.values())


def apis(plan: Plan) -> Iterator[str]:
    if plan.stack.redis is not None:
        yield "redis"


PART = Part(key="redis", rules=RULES, is_named=is_named, stand_ins=lambda _: ({},), apis=apis)
