"""Images of pods."""

from collections.abc import Iterator

from stacks.parts.images.advice import advice
from stacks.parts.images.rules import RULES
from stacks.parts.part import Part
from stacks.plan import Plan


def apis(plan: Plan) -> Iterator[str]:
    if plan.images.mirrors or plan.images.named:
        yield "artifactregistry"
    if plan.images.streamed:
        yield "containerfilesystem"


PART = Part(key="images", rules=RULES, stand_ins=lambda _: ({},), apis=apis, advice=(advice,))
