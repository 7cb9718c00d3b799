"""Legal combinations of parts: each is right or refused in words, and each that is right is built.

Mocks stand in for the engine, so that it is shown what is registered, and nothing of what a cloud
makes of it.
"""

import json
import re
from collections import Counter
from typing import Any

import pytest
from pydantic import BaseModel

from stacks.stack import Stack
from tests.conftest import Recording
from tests.limits import wrong_limits
from tests.parts.combinations import put_right
from tests.parts.cover import SEED, drawn
from tests.parts.sampling import a_sample
from tests.programs import WITH_ALL_SECRETS, lines_of, registered
from tests.unit.config_leaves import models_in

SAMPLE, ALL = 60, 300
# Of what is drawn so many parts in a hundred are right as they are: 57 of all, and of 60 at a time
# between 43 and 70.
_LEAST_RIGHT = 40
_PARTS = 5
_PART = re.compile(r"[^.\[\]]+")


def is_field(path: str, model: type[BaseModel] = Stack) -> bool:
    """Whether a config may have something there."""
    parts = _PART.findall(path.removeprefix("stack.").removeprefix("gcp:"))
    return _leads_on([model], parts)


def _leads_on(models: list[type[BaseModel]], parts: list[str]) -> bool:
    if not parts:
        return True
    here = [it for it in models if parts[0] in it.model_fields]
    if not here:
        return False
    annotations = [it.model_fields[parts[0]].annotation for it in here]
    inner = [found for it in annotations for found in models_in(it)]
    # The name of an entry, or its place, may stand between; below what has no fields stand names.
    ways = (parts[1:], parts[2:])
    return not inner or len(parts) == 1 or any(_leads_on(inner, it) for it in ways)


def twice(made: Recording) -> list[str]:
    """Resources that an engine, and objects that a cluster, would take for one."""
    objects = Counter(it.urn for it in made.resources)
    for it in made.resources:
        if it.type.startswith("kubernetes:"):
            named = it.inputs.get("metadata", {})
            place = (named.get("namespace"), named.get("name"))
            objects[f"{it.type} {place}"] += named.get("name") is not None
    return [what for what, count in objects.items() if count > 1]


def check(raws: list[dict[str, Any]], *, built_of: int = 1) -> None:
    """One in `built_of` of those that are right, or are put right, is built."""
    said = [lines_of(raw, WITH_ALL_SECRETS) for raw in raws]
    right = said.count(())
    print(f"seed {SEED}: {right} of {len(raws)} combinations are right as they are drawn")
    assert right * 100 >= _LEAST_RIGHT * len(raws)
    for raw, lines in zip(raws, said, strict=True):
        for line in lines:
            field = line.partition(": ")[0]
            assert is_field(field), f"{line}\n{json.dumps(raw)}"
            assert "; nearest: " in line, f"{line}\n{json.dumps(raw)}"
    for raw in raws[::built_of]:
        better = put_right(raw)
        if better is not None:
            made = registered(better[1])
            assert twice(made) == [], json.dumps(better[0])
            assert wrong_limits(made) == [], json.dumps(better[0])


def test_a_combination_is_right_or_refused_in_words_and_what_is_right_is_built() -> None:
    # Each takes a third of a second.
    check(drawn(SAMPLE), built_of=4)


def parts_tried() -> list[int]:
    """All of them with ALL_COMBINATIONS=1; else one, another one for each commit."""
    return a_sample(list(range(_PARTS)), 1)


@pytest.mark.thorough
@pytest.mark.parametrize("part", parts_tried())
def test_hundreds_of_combinations_are_right_or_refused_and_built(part: int) -> None:
    each = ALL // _PARTS
    check(drawn(ALL)[part * each : (part + 1) * each])


def test_the_same_seed_draws_the_same() -> None:
    assert drawn(12) == drawn(12)


def test_a_field_is_one_of_the_models() -> None:
    assert is_field("stack.ray.first.workers.main.pools[0]")
    assert is_field("stack.network.dcn[1].range")
    assert not is_field("stack.ray.first.workers.main.pool_names")
    assert not is_field("stack.kueue.flavors.a.pool")
