"""A customer's key reaches everything of a stack that takes one, and each service that uses it is
let in. What Google makes of the key is not shown."""

import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from catalog.customer_keys import customer_keys
from stacks.config import validate
from stacks.outputs import key_services, kms_grants
from stacks.parts.lustre.advice import advice
from stacks.plan import Plan
from tests.conftest import Registered, changed
from tests.parts.samples import HARDENED, KEPT, RL
from tests.programs import WITH_ALL_SECRETS, mistakes, registered
from tests.unit.effect_stacks import BASES

TABLE = customer_keys()
# What an input is called that has to do with keys.
_OF_KEYS = re.compile(r"kms|crypt|customermanaged", re.IGNORECASE)
_BLOCK = re.compile(r"\b\w+Args\b")
# All but those whose scripts are the project's own.
WHOLE = [name for name in BASES if not name.startswith("own")]


def key_in(region: str) -> str:
    return HARDENED["cmek"].replace("us-central1", region)


def plan_of(name: str) -> Plan:
    base = BASES[name]
    config = {**base, "cmek": key_in(base["region"])}
    return validate(config, secrets_set=WITH_ALL_SECRETS)


def inputs_of(token: str) -> Iterator[str]:
    """Paths of all inputs that the SDK takes of a resource."""
    module, _, name = token.removeprefix("gcp:").replace("/", ":").split(":")
    package = import_module(f"pulumi_gcp.{module}")
    resource = getattr(package, name)
    arguments = getattr(sys.modules[resource.__module__], f"{name}Args")
    blocks = f"pulumi_gcp.{module}._inputs"
    yield from _fields(import_module(blocks) if find_spec(blocks) else None, arguments, "", ())


def _fields(module: Any, block: type, prefix: str, above: tuple[str, ...]) -> Iterator[str]:
    for name, member in inspect.getmembers(block, lambda it: isinstance(it, property)):
        key = getattr(member.fget, "_pulumi_name", None) or _camel(name)
        yield f"{prefix}{key}"
        for inner in _BLOCK.findall(str(member.fget.__annotations__["return"])):
            found = getattr(module, inner, None)
            if found is not None and inner not in above:
                yield from _fields(module, found, f"{prefix}{key}.", (*above, inner))


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(it.capitalize() for it in others)


def is_told(token: str, path: str) -> bool:
    """Whether the table has the input, or one above or below it."""
    told = [*TABLE.keys.get(token, ()), *TABLE.unused.get(token, ())]
    return any(f"{it}.".startswith(f"{path}.") or f"{path}.".startswith(f"{it}.") for it in told)


def test_every_input_for_keys_of_what_stacks_make_is_set_or_has_a_reason_not_to_be(
    folder: Path,
) -> None:
    """One test: each stack is made once."""
    types = set[str]()
    for name in WHOLE:
        plan = plan_of(name)
        made = [it for it in registered(plan, folder=folder).resources if it.custom]
        all_that_takes_a_key_has_the_key(name, plan, made)
        types |= {it.type for it in made if it.type.startswith("gcp:")}
    assert types >= TABLE.keys.keys() | TABLE.unused.keys()
    about = {(token, it) for token in types for it in inputs_of(token) if _OF_KEYS.search(it)}
    assert about
    assert {it for it in about if not is_told(*it)} == set()


def test_every_input_of_the_table_is_one_that_the_provider_takes() -> None:
    for paths in (TABLE.keys, TABLE.unused):
        for token, told in paths.items():
            assert set(told) <= set(inputs_of(token)), token


def test_every_service_that_uses_a_key_is_in_the_table_and_no_other() -> None:
    used = {api for paths in TABLE.keys.values() for api in paths.values()}
    assert used == TABLE.services.keys()


def all_that_takes_a_key_has_the_key(name: str, plan: Plan, made: list[Registered]) -> None:
    used = set[str]()
    for one in made:
        given = list(TABLE.given(one.type, one.inputs))
        if one.type in TABLE.keys and not name.startswith("keyed"):
            assert {key for key, _ in given} == {plan.stack.cmek}, f"{name}: {one.name}"
        used |= {api for _, api in given}
    assert set(key_services(plan)) == used, name
    lines = [it for it in kms_grants(plan, "my-project") if it.startswith("gcloud kms ")]
    assert [it.rpartition("@")[2] for it in lines] == [
        f'{TABLE.services[it].account}.iam.gserviceaccount.com"' for it in key_services(plan)
    ]


@pytest.mark.parametrize(
    ("stack", "field", "token", "api"),
    [
        (RL, "lustre", "gcp:lustre/instance:Instance", "lustre"),
        (KEPT, "redis", "gcp:redis/instance:Instance", "redis"),
    ],
)
def test_an_instance_that_was_made_with_googles_key_can_keep_it_beside_a_key_of_yours(
    stack: dict[str, Any], field: str, token: str, api: str
) -> None:
    key = key_in(stack["region"])
    config = changed({**stack, "cmek": key}, **{f"{field}__cmek": False})
    plan = validate(config, secrets_set=WITH_ALL_SECRETS)
    made = registered(plan)
    (instance,) = (it for it in made.resources if it.type == token)
    assert list(TABLE.given(token, instance.inputs)) == []
    assert api not in key_services(plan)
    nodes = [it for it in made.resources if it.type == "gcp:container/nodePool:NodePool"]
    assert {it.inputs["nodeConfig"]["bootDiskKmsKey"] for it in nodes} == {key}


def test_a_preview_says_what_google_says_of_a_lustre_with_a_key_on_gke() -> None:
    keyed = {**RL, "cmek": key_in(RL["region"])}
    (line,) = advice(validate(keyed, secrets_set=WITH_ALL_SECRETS))
    assert line.startswith("stack.lustre: is made with the key of cmek")
    assert "nearest: lustre.cmek: false" in line
    for config in (RL, changed(keyed, lustre__cmek=False)):
        assert not list(advice(validate(config, secrets_set=WITH_ALL_SECRETS)))


def test_whose_instance_is_there_already_decides_on_its_key() -> None:
    there = {"existing": "fast", "capacity_gib": 9000, "cmek": False}
    assert (
        "stack.lustre.cmek: the instance is there already, with its own; nearest: leave it out"
        in mistakes(changed(RL, lustre=None) | {"lustre": there}, WITH_ALL_SECRETS)
    )
