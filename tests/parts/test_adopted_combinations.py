"""The combinations with parts of theirs made existing at random: right, and nothing is registered
for such a part."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from stacks.config import validate
from tests.parts.adopted_combinations import Adopting, adopting
from tests.parts.cover import SEED, covering
from tests.parts.existing_samples import Simulated
from tests.parts.sampling import a_sample
from tests.programs import WITH_ALL_SECRETS, registered

ALL, SAMPLE = 60, 10


def drawn(number: int) -> Adopting:
    return adopting(covering(ALL)[number], Random(SEED + number))


def names(raw: dict[str, Any], answers: Simulated) -> set[str]:
    """What the stack registers, by logical name."""
    plan = validate(raw, secrets_set=WITH_ALL_SECRETS)
    return registered(plan, stack=raw["name"], answers=answers).names()


@pytest.mark.parametrize("number", a_sample(list(range(ALL)), SAMPLE))
def test_nothing_is_registered_for_a_part_that_exists_already(tmp_path: Path, number: int) -> None:
    found = drawn(number)
    print(f"seed {SEED}, combination {number}: {sorted(found.adopted)}")
    assert names(found.raw, Simulated(tmp_path, found.existing)) & found.made == set()


@pytest.mark.parametrize("part", ["cluster", "lustre"])
def test_where_all_is_made_it_is_registered_under_the_names_that_are_looked_for(
    tmp_path: Path, part: str
) -> None:
    whole = next(at for at in range(ALL) if part in drawn(at).adopted)
    assert drawn(whole).made <= names(covering(ALL)[whole], Simulated(tmp_path, []))


def test_every_part_exists_already_in_some_and_is_made_in_others() -> None:
    adopted = [drawn(number).adopted for number in range(ALL)]
    for part in ("network", "cluster", "lustre", "buckets.data", "buckets.models"):
        assert {part in it for it in adopted} == {True, False}
