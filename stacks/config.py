"""From Pulumi config to a checked model: read once, every mistake reported together.

`validate` is pure; only `read` touches Pulumi.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from stacks import KINDS
from stacks.blocks.cluster_stack import SECRETS, ClusterStack
from stacks.config_errors import lines_of, nearest

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
    raw: Mapping[str, Any], *, secrets_set: frozenset[str] = frozenset(), hide_values: bool = False
) -> ClusterStack:
    """The model for `raw`: the stack's config object, with `project`, `region` and `zone` in it.

    `secrets_set` names the secrets that the config has. Raises ConfigError.
    """
    kind = raw.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ConfigError(
            [f"stack.kind: {_shown_kind(kind)}; nearest: {nearest(str(kind), list(KINDS))}"]
        )
    known = KINDS[kind]
    model = known.config_class()
    missing = [f"gcp:{key}" for key in ("project", "region", "zone") if not raw.get(key)]
    missing += [name for name in known.required_secrets() if name not in secrets_set]
    lines = [f"{name}: missing; set it with: {_MISSING[name]}" for name in missing]
    try:
        config = model.model_validate(
            {**_stand_ins(), **_without_empty(raw), "secrets_set": secrets_set}
        )
    except ValidationError as error:
        lines += [
            line
            for line in lines_of(error, model, hide_values=hide_values)
            # What a stand-in breaks is no mistake of the user's.
            if not any(line.startswith(f"{name}: ") for name in missing)
        ]
        raise ConfigError(lines) from None
    if lines:
        raise ConfigError(lines)
    return config


def read() -> "tuple[ClusterStack, dict[str, pulumi.Output[str]]]":
    """The current stack's config and its secrets. Raises pulumi.RunError with every mistake."""
    import pulumi

    own, provider = pulumi.Config(), pulumi.Config("gcp")
    secrets = {name: own.get_secret(name) for name in SECRETS}
    present = {name: value for name, value in secrets.items() if value is not None}
    try:
        raw = _object_of(own.get(_OBJECT))
        place = {key: provider.get(key) for key in ("project", "region", "zone")}
        config = validate(
            {**raw, **place},
            secrets_set=frozenset(present),
            hide_values=pulumi.runtime.is_config_secret(own.full_key(_OBJECT)),
        )
    except ConfigError as error:
        raise pulumi.RunError(str(error)) from None
    return config, present


def _object_of(text: str | None) -> dict[str, Any]:
    if text is None:
        raise ConfigError(
            ["stack: missing; set it with: pulumi config set --path stack.kind lustre-training"]
        )
    try:
        value = json.loads(text)
    except ValueError:
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
    places = ("project", "region", "zone")
    return {key: value for key, value in raw.items() if value or key not in places}


def _shown_kind(kind: object) -> str:
    return "missing" if kind is None else f'"{kind}" is not a kind of stack'
