"""From Pulumi config to a checked model: read once, every mistake reported together.

`validate` is pure; only `read` touches Pulumi.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from stacks import KINDS, required_secrets
from stacks.blocks.cluster_stack import SECRETS, ClusterStack
from stacks.checks import STAND_INS, problems_of, references_of
from stacks.config_errors import nearest
from stacks.names_beside import free_name, names_beside
from stacks.plain_values import printable
from stacks.plan import Plan
from stacks.repairs import Checked, check
from stacks.stack import Stack

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
    taken: Mapping[str, str] = MappingProxyType({}),
    now: datetime | None = None,
) -> ClusterStack | Plan:
    """The model for `raw`: the stack's config object, with `project`, `region` and `zone` in it;
    of a stack of parts the plan.

    `secrets_set` names the secrets that the config has, `taken` the files of other stacks by the
    names that they have in the project. Raises ConfigError.
    """
    kind = raw.get("kind")
    if "kind" in raw and (not isinstance(kind, str) or kind not in KINDS):
        raise ConfigError([f"stack.kind: {_wrong_kind(kind, hide_values=hide_values)}"])
    model = KINDS[str(kind)].config_class() if "kind" in raw else Stack
    missing = [f"gcp:{key}" for key in PLACES if not raw.get(key)]
    # What a stand-in breaks is no mistake of the user's.
    known = {name.removeprefix("gcp:") for name in missing}
    missing += [name for name in required_secrets(raw) if name not in secrets_set]
    lines = [f"{name}: missing; set it with: {_MISSING[name]}" for name in missing]
    full = {**_stand_ins(), **_without_empty(raw), "secrets_set": secrets_set}
    how = Checked(model=model, hide_values=hide_values)
    if "kind" not in raw and not raw.get("pools"):
        lines.append(_NO_POOLS)
        known.add("pools")
        # Without any there is nothing that rules could hold.
        full["pools"] = {"cpu": STAND_INS["pools"][0]}
    elif "kind" not in raw:
        rules = partial(problems_of, now=now)
        how = replace(how, rules=rules, references=references_of, stand_ins=STAND_INS)
    config, mistakes = check(how, full, known=frozenset(known))
    lines += [it.line for it in mistakes]
    if not any(it.path == "name" for it in mistakes):
        lines += _taken(raw.get("name"), taken)
    if lines or not isinstance(config, ClusterStack | Stack):
        raise ConfigError(lines)
    return Plan(config) if isinstance(config, Stack) else config


def read() -> "tuple[ClusterStack | Plan, dict[str, pulumi.Output[str]]]":
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
    config = validate(
        {**object_of(own.get(_OBJECT)), **place},
        secrets_set=frozenset(present),
        hide_values=hide_values,
        # Run inline, the program has no folder; the sandbox checks names itself.
        taken=names_beside(Path(folder), pulumi.get_stack(), key, place["project"])
        if folder and not hide_values
        else {},
    )
    return config, present


def object_of(text: str | None) -> dict[str, Any]:
    """The stack's config object, as Pulumi hands it over. Raises ConfigError where it is none."""
    if text is None:
        raise ConfigError(
            ["stack: missing; set it with: pulumi config set --path stack.kind lustre-training"]
        )
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        # Not JSON, or blocks in each other or digits without an end.
        value = None
    if not isinstance(value, dict):
        raise ConfigError(
            ["stack: not a block of keys; nearest: stack.kind and the keys beside it"]
        )
    # `secrets_set` is ours; from a config it would pass a missing secret off as set.
    for key in ("project", "region", "zone", "secrets_set"):
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


def _wrong_kind(kind: object, *, hide_values: bool) -> str:
    if kind is None:
        return f"missing; nearest: {nearest('', list(KINDS))}"
    shown = "[hidden]" if hide_values else f'"{printable(str(kind)[:80])}"'
    near = nearest("" if hide_values else str(kind)[:80], list(KINDS))
    return f"{shown} is not a kind of stack; nearest: {near}"
