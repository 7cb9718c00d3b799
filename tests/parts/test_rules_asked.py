"""Rules of a part are asked only of a stack that has the part: those of others have nothing to say
of it."""

from pydantic import ValidationError

from catalog import FactError
from stacks.checks import references_of, rules_of
from stacks.parts.registry import PARTS
from stacks.plan import Plan
from stacks.stack import Stack
from tests.conftest import changed
from tests.parts.samples import SAMPLES
from tests.parts.test_refusals import REFUSED

RULES = [rule for part in PARTS for rule in part.rules]


def test_a_part_that_a_stack_has_not_has_nothing_to_say_of_it() -> None:
    held = 0
    for config in (*SAMPLES.values(), *(changed(it.stack, **it.values) for it in REFUSED)):
        try:
            stack = Stack.model_validate(config)
            plan = Plan(stack)
            assert plan.facts
        except (ValidationError, FactError):
            continue
        if next(references_of(stack), None) is not None:
            continue
        asked = [*rules_of(stack)]
        left = [rule for rule in RULES if rule not in asked]
        assert not [(config, problem) for rule in left for problem in rule(plan)]
        held += bool(left)
    assert held > 200
