"""Every field of a stack's config changes something: none is read and then forgotten.

Fields are those of the model, so a new one without a change to try fails. What is registered is
compared, and what the stack tells its user; a stand-in for the engine shows nothing of what a cloud
makes of it.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime import set_all_config

from stacks.build import build
from stacks.config import validate
from stacks.stack import Stack
from tests.conftest import TOKEN, changed, recorded
from tests.parts.sampling import a_sample
from tests.programs import mistakes
from tests.stacks.existing_changes import CASES as EXISTING
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


def built(config: dict[str, Any], folder: Path) -> str:
    """All that an engine would see of it."""
    plan = validate(config, secrets_set=SECRETS)
    told: list[Any] = []

    def program() -> None:
        secrets = {key: pulumi.Output.secret(TOKEN) for key in SECRETS}
        pulumi.Output.from_input(build(plan, secrets, folder)).apply(told.append)

    try:
        made = recorded(program)
    finally:
        set_all_config({})
    assert told
    return json.dumps(
        [
            told,
            *sorted(
                [it.urn, it.protect, json.dumps(it.inputs), sorted(it.dependencies)]
                for it in made.resources
            ),
        ]
    )


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


@cache
def unchanged(base: str, folder: Path) -> str:
    return built(BASES[base], folder)


def tried() -> list[int]:
    """All of them with ALL_COMBINATIONS=1; else a tenth."""
    return a_sample(list(range(len(CHANGES))), len(CHANGES) // 10)


@pytest.mark.parametrize("number", tried(), ids=name_of)
def test_a_field_has_an_effect(number: int, folder: Path) -> None:
    base, change = CHANGES[number]
    assert built(changed(BASES[base], **change), folder) != unchanged(base, folder)


def test_a_stack_that_is_built_twice_is_the_same(folder: Path) -> None:
    assert built(BASES["plain"], folder) == unchanged("plain", folder)


@pytest.mark.parametrize("field", DECIDES)
def test_a_field_that_is_in_nothing_that_is_made_decides_what_is_right(field: str) -> None:
    case = DECIDES[field]
    wrong = changed(case.right, **case.change)
    assert differing(Stack, case.right, wrong) == {field}
    validate(case.right, secrets_set=SECRETS)
    assert any(case.said in line for line in mistakes(wrong, SECRETS))


def test_every_field_has_a_change_to_try_or_a_reason_to_have_none() -> None:
    found = {field for base, change in CHANGES for field in credited(base, change)}
    assert LEAVES.keys() - found == WITHOUT_EFFECT.keys() | DECIDES.keys()


def test_what_names_parts_of_others_is_changed_in_running_stacks() -> None:
    of_others = {it for it, why in WITHOUT_EFFECT.items() if why == _OF_OTHERS}
    assert of_others <= {
        it for case in EXISTING for it in differing(Stack, case.before, case.after)
    }


def test_a_change_is_for_a_field_of_the_model_and_is_right() -> None:
    for base, change in CHANGES:
        assert credited(base, change), f"{base}: {change}"
        validate(changed(BASES[base], **change), secrets_set=SECRETS)
