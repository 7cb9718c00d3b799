"""What is said of a model that nobody named: that it is there by default. No Pulumi import."""

from collections.abc import Mapping
from typing import Any, get_args

from stacks.model_places import blocks_in, entries_in
from stacks.stack import Stack
from stacks.tokens import HUGGING_FACE, wanting_a_token
from stacks.tried import stands

_WITH_MODELS = ("servers", "jobs")
_MOST_NAMED = 3


def because(secret: str, raw: Mapping[str, Any]) -> str:
    """What a token is for, behind "missing"; nothing of other secrets."""
    if secret != HUGGING_FACE:
        return ""
    wants: list[str] = []
    for field, named in wanting_a_token(raw):
        model = named or _default_model(field, raw)
        said = f" ({'' if named else 'by default '}{model})" if model else ""
        wants.append(f"{field}{said}")
    more = ", and others" if len(wants) > _MOST_NAMED else ""
    return f", for {', '.join(wants[:_MOST_NAMED])}{more}" if wants else ""


def by_default(reason: str, path: str, raw: Mapping[str, Any]) -> str:
    """The reason of a rule, which says so where it speaks of a model that nobody named."""
    block = ".".join(path.split(".")[:2])
    if block.partition(".")[0] not in _WITH_MODELS or stands(raw, f"{block}.model"):
        return reason
    model = _default_model(block, raw)
    return reason.replace(model, f"{model} (by default)", 1) if model else reason


def _default_model(field: str, raw: Mapping[str, Any]) -> str:
    """Of a server, or of a job of its type; empty where there is none."""
    part, _, name = field.partition(".")
    given = raw.get(part)
    entry = given.get(name) if isinstance(given, Mapping) else None
    tag = entry.get("type") if isinstance(entry, Mapping) else None
    entries = entries_in(Stack.model_fields[part].annotation)
    for block in [] if entries is None else blocks_in(entries[1]):
        kind, model = (block.model_fields.get(it) for it in ("type", "model"))
        if kind is not None and tag not in get_args(kind.annotation):
            continue
        if model is not None and isinstance(model.default, str):
            return model.default
    return ""
