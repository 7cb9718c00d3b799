"""From Pulumi config to a checked model: read once, every mistake reported together.

`validate` is pure; only `read` touches Pulumi.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stacks.checks import STAND_INS, Rule, problems_of, references_of
from stacks.clashes import clashes
from stacks.names_beside import NOBODY, Beside, free_name, names_beside
from stacks.plan import Plan
from stacks.repairs import Checked, check
from stacks.stack import Stack
from stacks.tokens import SECRETS, required_secrets

if TYPE_CHECKING:
    import pulumi

_MISSING = {
    "gcp:project": "pulumi config set gcp:project PROJECT",
    "gcp:region": "pulumi config set gcp:region REGION",
    "gcp:zone": "pulumi config set gcp:zone ZONE",
    "hugging_face_token": "pulumi config set --secret hugging_face_token",
    "wandb_api_key": "pulumi config set --secret wandb_api_key",
}
_OBJECT = "stack"
# What it holds becomes names and manifests, which stand in the state as they are.
_SECRET_OBJECT = (
    "stack: is a secret, or has one in it, and all in it stands in the state in plain; nearest: "
    "pulumi config rm stack, the same keys without --secret, and tokens as secrets of their own"
)
_KIND = (
    "stack.kind: a stack has no kind any more, it is a list of parts under names of yours; "
    'nearest: the same stack as docs/parts.md has it under "From a config with a kind"'
)
_NO_POOLS = (
    "stack.pools: missing; it has the machines that everything runs on, each kind of them under a "
    "name of yours; nearest: {gpu: {machine_type: g2-standard-8, nodes: 1}}"
)
PLACES = ("project", "region", "zone")


class ConfigError(ValueError):
    """All that is wrong with a config, one line each."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = tuple(lines)
        one = len(lines) == 1
        title = "The config has 1 mistake" if one else f"The config has {len(lines)} mistakes"
        super().__init__(
            "\n".join([f"{title}; nothing was changed.", *(f"  {it}" for it in lines)])
        )


def validate(
    raw: Mapping[str, Any],
    *,
    secrets_set: frozenset[str] = frozenset(),
    hide_values: bool = False,
    beside: Beside = NOBODY,
    now: datetime | None = None,
    without: Collection[Rule] = (),
) -> Plan:
    """The plan for `raw`: the stack's config object, with `project`, `region` and `zone` in it.

    `secrets_set` names the secrets that the config has, `beside` are the other stacks of the
    project, `without` are rules that are not asked. Raises ConfigError.
    """
    if "kind" in raw:
        raise ConfigError([_KIND])
    missing = [f"gcp:{key}" for key in PLACES if not raw.get(key)]
    # What a stand-in breaks is no mistake of the user's.
    known = {name.removeprefix("gcp:") for name in missing}
    missing += [name for name in required_secrets(raw) if name not in secrets_set]
    lines = [f"{name}: missing; set it with: {_MISSING[name]}" for name in missing]
    full = {**_stand_ins(), **_without_empty(raw), "secrets_set": secrets_set}
    how = Checked(model=Stack, hide_values=hide_values)
    if not raw.get("pools"):
        lines.append(_NO_POOLS)
        known.add("pools")
        # Without any there is nothing that rules could hold.
        full["pools"] = {"cpu": STAND_INS["pools"][0]}
    else:
        rules = partial(problems_of, now=now, without=without)
        how = replace(how, rules=rules, references=references_of, stand_ins=STAND_INS)
    config, mistakes = check(how, full, known=frozenset(known))
    lines += [it.line for it in mistakes]
    if not any(it.path == "name" for it in mistakes):
        lines += _taken(raw.get("name"), beside.names)
    if lines or not isinstance(config, Stack):
        raise ConfigError(lines)
    plan = Plan(config)
    if lines := list(clashes(plan, beside)):
        raise ConfigError(lines)
    return plan


def read() -> "tuple[Plan, dict[str, pulumi.Output[str]]]":
    """The current stack's config and its secrets. Raises ConfigError with every mistake."""
    import pulumi

    own, provider = pulumi.Config(), pulumi.Config("gcp")
    secrets = {name: own.get_secret(name) for name in SECRETS}
    present = {name: value for name, value in secrets.items() if value is not None}
    key, folder = own.full_key(_OBJECT), pulumi.get_root_directory()
    if pulumi.runtime.is_config_secret(key):
        raise ConfigError([_SECRET_OBJECT])
    place = {key: provider.get(key) for key in PLACES}
    # A suggestion would show what is near the value.
    hide_values = any(pulumi.runtime.is_config_secret(f"gcp:{key}") for key in PLACES)
    plan = validate(
        {**object_of(own.get(_OBJECT)), **place},
        secrets_set=frozenset(present),
        hide_values=hide_values,
        # Run inline, the program has no folder; the sandbox checks names itself.
        beside=names_beside(Path(folder), pulumi.get_stack(), key, place["project"])
        if folder and not hide_values
        else NOBODY,
    )
    return plan, present


def object_of(text: str | None) -> dict[str, Any]:
    """The stack's config object, as Pulumi hands it over. Raises ConfigError where it is none."""
    if text is None:
        raise ConfigError(
            ["stack: missing; nearest: a copy of Pulumi.dev.yaml under the stack's name"]
        )
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        # Not JSON, or blocks in each other or digits without an end.
        value = None
    if not isinstance(value, dict):
        raise ConfigError(
            ["stack: not a block of keys; nearest: stack.name, stack.pools and the like"]
        )
    # `secrets_set` is ours; from a config it would pass a missing secret off as set.
    for key in (*PLACES, "secrets_set"):
        if key in value:
            where = "as a secret of its own" if key == "secrets_set" else f"in gcp:{key}"
            raise ConfigError([f"stack.{key}: does not stand here; nearest: {where}"])
    return value


def _stand_ins() -> dict[str, str]:
    """Let the rest be checked when a place is missing; never returned."""
    return {"project": "missing-project", "region": "us-east1", "zone": "us-east1-b"}


def _without_empty(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if value or key not in PLACES}


def _taken(name: object, taken: Mapping[str, str]) -> list[str]:
    if not isinstance(name, str) or name not in taken:
        return []
    return [
        f'stack.name: "{name}": {taken[name]} has it for the same project, and names in a project '
        f"are unique; nearest: {free_name(name, taken)} in the file of the stack that is not up"
    ]
