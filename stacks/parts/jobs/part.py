"""Jobs."""

from stacks.parts.jobs.maxtext_advice import advice
from stacks.parts.jobs.rules import RULES, references
from stacks.parts.part import Part

PART = Part(key="jobs", rules=RULES, references=references, advice=(advice,))
