"""Validation errors as lines that a person can act on: field, value, why, nearest. No Pulumi."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from stacks.problems import BrokenRulesError

_PROVIDER_KEYS = {"project": "gcp:project", "region": "gcp:region", "zone": "gcp:zone"}
_SENSITIVE = re.compile(r"token|secret|password|key", re.IGNORECASE)
_LONGEST = 80
# The key that tells the members of a union apart.
_TAG = "mode"
# How pydantic says that a key of a block is wrong, not its value.
_OF_A_KEY = "[key]"
_HIDDEN = "not valid; the value is a secret and stays out of this message"
_WANTED = {
    "int_": "a whole number",
    "float_": "a number",
    "bool_": "true, false",
    "string_type": "text",
    "model_": "a block of keys",
    "dict_type": "a block of keys",
    "tuple_type": "a list",
    "datetime": "a time like 2026-01-03T02:00:00Z",
    "timezone": "a time like 2026-01-03T02:00:00Z",
    "too_short": "one of them",
}
_OURS = frozenset({"project", "region", "zone", "secrets_set"})


def lines_of(error: ValidationError, model: type[BaseModel], *, hide_values: bool) -> list[str]:
    """One line an error, in the order of the fields; values stay out where they may be secret."""
    found: list[str] = []
    for detail in error.errors(include_url=False):
        cause = detail.get("ctx", {}).get("error")
        if isinstance(cause, BrokenRulesError):
            found += [
                f"{field_name(one.field)}: {_HIDDEN if hide_values else one.message}"
                for one in cause.problems
            ]
        else:
            found.append(_line(detail, model, hide_values=hide_values))
    return list(dict.fromkeys(found))


def field_name(path: str) -> str:
    """A field's path as the user writes it."""
    return _PROVIDER_KEYS.get(path, f"stack.{path}")


def nearest(text: str, known: Sequence[str]) -> str:
    return ", ".join(get_close_matches(text, known, n=3, cutoff=0.5) or sorted(known))


def _line(detail: ErrorDetails, model: type[BaseModel], *, hide_values: bool) -> str:
    path = _readable(model, detail["loc"])
    field = field_name(path)
    last = path.rpartition(".")[2]
    hidden = hide_values or _SENSITIVE.search(last) is not None
    value = "[hidden]" if hidden else _shown(detail["input"])
    match detail["type"]:
        case "extra_forbidden":
            # Without the value: what a misspelt key holds may well be a token.
            known = [it for it in _fields_at(model, detail["loc"][:-1]) if it not in _OURS]
            return f"{field}: there is no such key; nearest: {nearest(last, known)}"
        case "missing":
            return f"{field}: missing; {_example(model, detail)}"
        case "union_tag_invalid" | "union_tag_not_found":
            given = detail["input"].get(_TAG) if isinstance(detail["input"], dict) else None
            near = nearest(str(given), sorted(_tags(model, detail["loc"])))
            wrong = f"{'[hidden]' if hidden else _shown(given)}: not one of them"
            return f"{field}.{_TAG}: {'missing' if given is None else wrong}; nearest: {near}"
        case "enum" | "literal_error":
            expected = str(detail.get("ctx", {}).get("expected", ""))
            options = [text or number for text, number in re.findall(r"'([^']*)'|(\d+)", expected)]
            near = options[0] if hidden else nearest(str(detail["input"]), options)
            return f"{field}: {value}: not one of them; nearest: {near}"
        case "value_error":
            message = str(detail.get("ctx", {}).get("error", detail["msg"]))
            return f"{field}: {_HIDDEN if hidden else message}"
        case _:
            return f"{field}: {value}: {_reason(detail)}"


def _reason(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    bounds = [str(context[key]) for key in ("ge", "le") if key in context]
    if "gt" in context:
        bounds = ["1" if context["gt"] == 0 else f"above {context['gt']}"]
    wanted = next((what for kind, what in _WANTED.items() if detail["type"].startswith(kind)), "")
    near = bounds[0] if bounds else wanted
    message = detail["msg"][0].lower() + detail["msg"][1:]
    return f"{message}; nearest: {near}" if near else message


def _example(model: type[BaseModel], detail: ErrorDetails) -> str:
    fields = _fields_at(model, detail["loc"][:-1])
    annotation = fields.get(str(detail["loc"][-1]))
    inner = next(iter(models_in(annotation)), None)
    if inner is None:
        path = field_name(_readable(model, detail["loc"]))
        return f"set it with: pulumi config set --path {path} VALUE"
    needed = [name for name, field in inner.model_fields.items() if field.is_required()]
    return f"it needs a block with {', '.join(needed or list(inner.model_fields))}"


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return "a block" if isinstance(value, dict) else "a list"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _readable(model: type[BaseModel], loc: Sequence[int | str]) -> str:
    """The path without the tags that pydantic puts in for members of unions."""
    parts: list[str] = []
    here: dict[str, Any] = {name: field.annotation for name, field in model.model_fields.items()}
    for index, part in enumerate(loc):
        if isinstance(part, int):
            parts[-1] += f"[{part}]"
            continue
        if part != _OF_A_KEY and (part in here or part not in _tags(model, loc[:index])):
            parts.append(part)
        here = _fields_at(model, loc[: index + 1])
    return ".".join(parts)


def _fields_at(model: type[BaseModel], loc: Sequence[int | str]) -> dict[str, Any]:
    """The fields, with their annotations, of whatever block stands at `loc`."""
    blocks: list[type[BaseModel]] = [model]
    for part in loc:
        if isinstance(part, int):
            continue
        named = [b.model_fields[part].annotation for b in blocks if part in b.model_fields]
        if named:
            blocks = [inner for annotation in named for inner in models_in(annotation)]
        else:
            blocks = [b for b in blocks if part in _tag_values(b)] or blocks
    return {name: field.annotation for b in blocks for name, field in b.model_fields.items()}


def _tags(model: type[BaseModel], loc: Sequence[int | str]) -> set[str]:
    blocks: list[type[BaseModel]] = [model]
    for part in loc:
        named = [b.model_fields[part].annotation for b in blocks if part in b.model_fields]
        blocks = [inner for annotation in named for inner in models_in(annotation)] or blocks
    return {tag for b in blocks for tag in _tag_values(b)}


def _tag_values(block: type[BaseModel]) -> set[str]:
    mode = block.model_fields.get(_TAG)
    return {str(tag) for tag in get_args(mode.annotation)} if mode else set()


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (Annotated, Union, tuple, dict) or get_args(annotation):
        for inner in get_args(annotation):
            yield from models_in(inner)
