"""Every field of a stack's config changes something: none is read and then forgotten.

Fields are those of the model, so a new one without a change to try fails. What is registered, and
what the stack tells its user, is compared with `tests/goldens/effects.yaml`; a stand-in for the
engine shows nothing of what a cloud makes of it.
"""

from pathlib import Path
from typing import Any

import pytest

from stacks.config import validate
from stacks.stack import Stack
from tests.conftest import changed
from tests.programs import mistakes
from tests.stacks.existing_changes import CASES as EXISTING
from tests.unit import golden_effects, goldens
from tests.unit.config_leaves import differing, leaves
from tests.unit.effect_changes import CHANGES, name_of
from tests.unit.effect_stacks import BASES
from tests.unit.effects_refused import DECIDES

SECRETS = frozenset({"hugging_face_token", "wandb_api_key", "model_server_key"})
LEAVES = {it.path: it for it in leaves(Stack)}
_OF_OTHERS = "names what is read, which this stand-in for the engine does not have"
WITHOUT_EFFECT = {
    **dict.fromkeys(
        (it for it in LEAVES if ".existing" in it or it == "cluster.stack"), _OF_OTHERS
    ),
    "secrets_set": "says which secrets there are, whose values come another way",
    "acknowledge.resource": "is held against the engine's record",
    "acknowledge.property": "is held against the engine's record",
    "acknowledge.to": "is held against the engine's record",
    "catalog.machine_types.source": "says where the facts are from",
}
BATCHES = golden_effects.batches()


def credited(base: str, change: dict[str, Any]) -> set[str]:
    """The fields that a change is for. Of several keys the first is it, and the others go with it;
    where blocks come or go, it is for what brings them."""
    first = next(iter(change.items()))
    touched = differing(Stack, BASES[base], changed(BASES[base], **dict([first])))
    if len(touched) == 1:
        return touched
    choosing = {it for it in touched if it in LEAVES and LEAVES[it].chooses}
    fewest = min((it.count(".") for it in choosing), default=0)
    return {it for it in choosing if it.count(".") == fewest}


@pytest.mark.parametrize(
    ("base", "numbers"), BATCHES, ids=[name_of(numbers[0]) for _, numbers in BATCHES]
)
def test_fields_have_the_effects_that_are_recorded(
    base: str, numbers: list[int], folder: Path
) -> None:
    assert unlike(base, [CHANGES[it][1] for it in numbers], folder) == []


def unlike(base: str, changes: list[dict[str, Any]], folder: Path) -> list[str]:
    """What of their effects is not as recorded. They are tried at once; if that is something else,
    what shows and what does not, or each half."""
    titles = [golden_effects.title(it) for it in changes]
    expected = [golden_effects.recorded()[base][it] for it in titles]
    assert all(expected), "a field is read and then forgotten"
    if len(changes) == 1:
        found = golden_effects.effect(base, changes, folder)
        return goldens.unlike(f"{base}, {titles[0]}", found, expected[0])
    try:
        said = golden_effects.parts(golden_effects.effect(base, changes, folder))
    except ValueError:
        said = set[golden_effects.Said]()
    parts = [golden_effects.parts(it) for it in expected]
    if said == set[golden_effects.Said]().union(*parts):
        return []
    shown = [it for it, its in zip(changes, parts, strict=True) if its <= said]
    rest = [it for it in changes if it not in shown]
    halves = (shown, rest) if shown and rest else (changes[::2], changes[1::2])
    return [line for half in halves for line in unlike(base, half, folder)]


def test_effects_are_recorded_of_what_is_tried() -> None:
    tried = {(base, golden_effects.title(change)) for base, change in CHANGES}
    assert len(tried) == len(CHANGES)
    assert tried == {(base, it) for base, each in golden_effects.recorded().items() for it in each}


def test_a_stack_that_is_built_twice_is_the_same(folder: Path) -> None:
    again = goldens.leaves_by_name(goldens.record_of(BASES["plain"], folder))
    assert goldens.differing(golden_effects.of_base("plain", folder), again) == []


@pytest.mark.parametrize("field", DECIDES)
def test_a_field_that_is_in_nothing_that_is_made_decides_what_is_right(field: str) -> None:
    case = DECIDES[field]
    wrong = changed(case.right, **case.change)
    assert differing(Stack, case.right, wrong) == {field}
    validate(case.right, secrets_set=SECRETS)
    assert any(case.said in line for line in mistakes(wrong, SECRETS))


def test_every_field_has_a_change_to_try_or_a_reason_to_have_none() -> None:
    fields = [credited(base, change) for base, change in CHANGES]
    assert [it for it, of_it in zip(CHANGES, fields, strict=True) if not of_it] == []
    found = set[str]().union(*fields)
    assert LEAVES.keys() - found == WITHOUT_EFFECT.keys() | DECIDES.keys()


def test_what_names_parts_of_others_is_changed_in_running_stacks() -> None:
    of_others = {it for it, why in WITHOUT_EFFECT.items() if why == _OF_OTHERS}
    assert of_others <= {
        it for case in EXISTING for it in differing(Stack, case.before, case.after)
    }
