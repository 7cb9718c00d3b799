"""Stacks of parts with anything changed: refused under the field that is wrong, or right, and never
a traceback; what stands after "nearest" is what goes. Three mistakes at once end no worse.

It proves nothing about what Google would say to the ones that pass.
"""

from random import Random

from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK, ON_PLATFORM
from tests.parts.samples import SAMPLES
from tests.unit.config_mutants import mutants
from tests.unit.team_stack import LAB
from tests.unit.test_config_mutants import SEED, found_wrong, lines_of, written

ON_OTHERS = {it["name"]: it for it in (ON_NETWORK, IN_CLUSTER, ON_PLATFORM)}
CONFIGS = {**SAMPLES, "lab": LAB, **ON_OTHERS}


def test_a_stack_with_anything_changed_is_right_or_refused_under_its_field() -> None:
    wrong = {
        f"{it.preset} {written(it.path)} = {it.what}": found
        for it in mutants(SEED, 120, list(CONFIGS), CONFIGS)
        if (found := found_wrong(it))
    }
    assert not wrong


def test_several_changes_at_once_end_in_no_traceback() -> None:
    random, refused = Random(SEED), 0
    for number in range(30):
        name = list(CONFIGS)[number % len(CONFIGS)]
        config = CONFIGS[name]
        for _ in range(3):
            (mutant,) = mutants(random.randrange(10**6), 1, [name], {name: config})
            config = mutant.config
        refused += bool(lines_of(config))
    assert refused > 20
