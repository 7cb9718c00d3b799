"""Teams."""

from stacks.parts.part import Part
from stacks.parts.teams.advice import advice
from stacks.parts.teams.rules import RULES

PART = Part(key="teams", rules=RULES, advice=(advice,))
