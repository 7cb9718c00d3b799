"""Wrong configs: each is refused in one line at the value or key that is wrong, in plain words, and
what the line offers works there; none ends in a traceback or takes long.

They prove nothing about what Google would say to the ones that pass.
"""

from random import Random

import pytest

from stacks.config import validate
from tests.parts.sampling import a_sample
from tests.programs import WITH_ALL_SECRETS, lines_of
from tests.unit.wrong_answers import faults
from tests.unit.wrong_configs import STACKS, Mutant, corpus, filled, mutants

_PARTS = 40
_AT_ONCE = 3


def check(tried: list[Mutant]) -> None:
    assert tried
    wrong = {f"{it.stack} {it.what}": found for it in tried if (found := faults(it))}
    shown = "\n".join(f"{what}: {'; '.join(found)}" for what, found in wrong.items())
    assert not wrong, f"{len(wrong)} of {len(tried)}:\n{shown}"


@pytest.mark.parametrize("stack", a_sample(sorted(STACKS), 2))
def test_a_config_with_one_thing_wrong_says_so_in_one_line_at_its_place(stack: str) -> None:
    everything = list(mutants(stack))
    check(Random(stack).sample(everything, 100))


def parts_tried() -> list[int]:
    """All of them with ALL_COMBINATIONS=1; else a few, others for each commit."""
    return a_sample(list(range(_PARTS)), 4)


@pytest.mark.thorough
@pytest.mark.parametrize("part", parts_tried())
def test_each_kind_of_value_says_what_is_wrong_with_it_however_it_is_wrong(part: int) -> None:
    check(list(corpus()[part::_PARTS]))


def test_several_things_wrong_at_once_end_in_no_traceback() -> None:
    random, refused = Random(7), 0
    everything = list(mutants("dev"))
    for _ in range(8):
        config = filled("dev")
        for one in random.sample(everything, _AT_ONCE):
            changed_part = {it: value for it, value in one.config.items() if it == one.path[0]}
            config = {**config, **changed_part}
        refused += bool(lines_of(config, WITH_ALL_SECRETS))
    assert refused > 5


@pytest.mark.parametrize("stack", a_sample(sorted(STACKS), 2))
def test_what_wrong_configs_are_made_from_is_right(stack: str) -> None:
    assert validate(filled(stack), secrets_set=WITH_ALL_SECRETS)


def test_the_corpus_has_what_is_refused_and_what_is_not() -> None:
    tried = Random(9).sample(list(mutants("dev")), 40)
    refused = [bool(lines_of(it.config, WITH_ALL_SECRETS)) for it in tried]
    assert refused.count(True) > 8
    assert refused.count(False) > 0
