"""Images of pods."""

from stacks.parts.images.advice import advice
from stacks.parts.images.rules import RULES
from stacks.parts.part import Part

PART = Part(key="images", rules=RULES, stand_ins=lambda _: ({},), advice=(advice,))
