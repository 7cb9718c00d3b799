"""Validation errors as lines that a person can act on: field, value, why, nearest. No Pulumi."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import inf, isnan
from typing import Annotated, Any, Literal, Self, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from catalog.bounds import Bounds
from stacks.plain_values import Flaw, Place, printable
from stacks.problems import ForeignKeysError, Problem

_PROVIDER_KEYS = {"project": "gcp:project", "region": "gcp:region", "zone": "gcp:zone"}
_SENSITIVE = re.compile(r"token|secret|password|key", re.IGNORECASE)
_LONGEST = 80
# Of a line before what is nearest, and of that.
_LONGEST_REASON = 300
_LONGEST_NEAREST = 200
NEAREST = "; nearest: "
_VALUE_AT_THE_END = re.compile(r'; nearest: (?:one like )?"?([^\s,"]+)(?:"|, \S+)*$')
# The keys that tell the members of a union apart.
_TAGS = ("mode", "type")
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


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong: `path` as the user writes it below the config object, `place` as
    pydantic has it, and what puts it right: `nearest` as a value, or the keys to take out.
    `farthest` is another value that would do. What `leads_nowhere` names what there is not."""

    path: str
    message: str
    place: Place = ()
    nearest: str | None = None
    farthest: str | None = None
    surplus: tuple[str, ...] = ()
    missing: bool = False
    of_rules: bool = False
    leads_nowhere: bool = False

    @classmethod
    def of_flaw(cls, flaw: Flaw) -> Self:
        """Of a value that is none for any field; without the value, and short of unseen text."""
        shown = [printable(str(part))[:_LONGEST] for part in flaw.place]
        whole = [
            f"[{it}]" if isinstance(part, int) else f".{it}"
            for part, it in zip(flaw.place, shown, strict=True)
        ]
        path = "".join(whole).removeprefix(".")
        return cls(path, flaw.message, flaw.place, nearest=flaw.nearest)

    @classmethod
    def of_rule(cls, problem: Problem, *, hide_values: bool, leads_nowhere: bool = False) -> Self:
        message = _HIDDEN if hide_values else problem.message
        return cls(problem.field, message, of_rules=True, leads_nowhere=leads_nowhere)

    def suggesting(self, message: str) -> Self:
        """The same mistake with what another message suggests."""
        reason, separator, _ = self.message.rpartition(NEAREST)
        near = message.rpartition(NEAREST)[2]
        return replace(self, message=f"{reason}{separator}{near}") if separator else self

    @property
    def of_key(self) -> bool:
        return bool(self.place) and self.place[-1] == _OF_A_KEY

    @property
    def line(self) -> str:
        """In one line that ends, whatever the value was."""
        text = printable(self.message.replace("\n", " "))
        reason, separator, near = text.rpartition(NEAREST)
        if not separator:
            reason, near = near, ""
        reason, near = _cut(reason, _LONGEST_REASON), _cut(near, _LONGEST_NEAREST)
        return f"{field_name(self.path)}: {reason}{separator}{near}"


def mistakes_of(
    error: ValidationError, model: type[BaseModel], *, hide_values: bool
) -> Iterator[Mistake]:
    """In the order of the fields; values stay out where they may be secret."""
    for detail in error.errors(include_url=False):
        yield _mistake(detail, model, hide_values=hide_values)


def field_name(path: str) -> str:
    """A field's path as the user writes it."""
    return _PROVIDER_KEYS.get(path, f"stack.{path}")


def nearest(text: str, known: Sequence[str]) -> str:
    return ", ".join(get_close_matches(text, known, n=3, cutoff=0.5) or sorted(known))


def _mistake(detail: ErrorDetails, model: type[BaseModel], *, hide_values: bool) -> Mistake:
    place = detail["loc"]
    path = _readable(model, place)
    last = path.rpartition(".")[2]
    hidden = hide_values or _SENSITIVE.search(last) is not None
    value = "[hidden]" if hidden else _shown(detail["input"])
    match detail["type"]:
        case "extra_forbidden":
            # Without the value: what a misspelt key holds may well be a token.
            known = [it for it in _fields_at(model, place[:-1]) if it not in _OURS]
            message = f"there is no such key{NEAREST}{nearest(last[:_LONGEST], known)}"
            return Mistake(path, message, place[:-1], surplus=(str(place[-1]),))
        case "missing":
            return Mistake(path, f"missing; {_example(model, detail)}", place, missing=True)
        case "union_tag_invalid" | "union_tag_not_found":
            return _wrong_tag(detail, model, path, hidden=hidden)
        case "enum" | "literal_error":
            expected = str(detail.get("ctx", {}).get("expected", ""))
            options = [text or number for text, number in re.findall(r"'([^']*)'|(\d+)", expected)]
            near = options[0] if hidden else nearest(str(detail["input"])[:_LONGEST], options)
            message = f"{value}: not one of them{NEAREST}{near}"
            return Mistake(path, message, place, nearest=near.partition(", ")[0])
        case "value_error":
            cause = detail.get("ctx", {}).get("error", detail["msg"])
            surplus = cause.keys if isinstance(cause, ForeignKeysError) else ()
            near = None if surplus else _suggested(str(cause))
            message = _HIDDEN if hidden else str(cause)
            far = str(int(near) + 1) if near and near.isdecimal() else None
            return Mistake(path, message, place, nearest=near, farthest=far, surplus=surplus)
        case _:
            if bounds := _bounds_at(model, place):
                return _out_of_bounds(detail, path, bounds, value)
            return Mistake(path, f"{value}: {_reason(detail)}", place)


def _suggested(message: str) -> str | None:
    """The value that a message ends with."""
    found = _VALUE_AT_THE_END.search(message)
    return found[1] if found else None


def _wrong_tag(detail: ErrorDetails, model: type[BaseModel], path: str, *, hidden: bool) -> Mistake:
    block = detail["input"]
    tag = str(detail.get("ctx", {}).get("discriminator", _TAGS[0])).strip("'")
    tag = tag if tag in _TAGS else _TAGS[0]
    given = block.get(tag) if isinstance(block, dict) else None
    near = nearest(str(given)[:_LONGEST], sorted(_tags(model, detail["loc"])))
    wrong = f"{'[hidden]' if hidden else _shown(given)}: not one of them"
    return Mistake(
        f"{path}.{tag}",
        f"{'missing' if given is None else wrong}{NEAREST}{near}",
        (*detail["loc"], tag),
        nearest=near.partition(", ")[0],
    )


def _out_of_bounds(detail: ErrorDetails, path: str, bounds: Bounds, value: str) -> Mistake:
    number = detail["input"]
    match detail["type"]:
        case "less_than_equal":
            near = bounds.clamped(inf)
            reason = f"{value} is more than {bounds.why}"
        case "greater_than_equal":
            near = bounds.clamped(-inf)
            reason = f"{value} is less than {near}"
        case "finite_number" | "int_parsing_size":
            near = bounds.clamped(-inf if isinstance(number, float) and isnan(number) else inf)
            reason = f"{value} is no number that ends"
        case _:
            return Mistake(path, f"{value}: {_reason(detail)}", detail["loc"])
    ends = {bounds.clamped(-inf), bounds.clamped(inf)}
    far = max(ends - {near})
    return Mistake(path, f"{reason}{NEAREST}{near}", detail["loc"], nearest=near, farthest=far)


def _bounds_at(model: type[BaseModel], place: Place) -> Bounds | None:
    names = [part for part in place if isinstance(part, str)]
    block = place[: place.index(names[-1])] if names else ()
    known = _blocks_at(model, block)
    fields = [it.model_fields[names[-1]] for it in known if names and names[-1] in it.model_fields]
    return next(
        (b for it in fields for b in _bounds_in(Annotated[it.annotation, *it.metadata, None])), None
    )


def _bounds_in(annotation: Any) -> Iterator[Bounds]:
    for inner in get_args(annotation):
        if isinstance(inner, Bounds):
            yield inner
        else:
            yield from _bounds_in(inner)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."


def _reason(detail: ErrorDetails) -> str:
    kind = detail["type"]
    wanted = next((what for start, what in _WANTED.items() if kind.startswith(start)), "")
    message = detail["msg"][0].lower() + detail["msg"][1:]
    return f"{message}{NEAREST}{wanted}" if wanted else message


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
    if isinstance(value, int) and abs(value) >= 10**_LONGEST:
        # Python refuses to write out the longest.
        return "a number without an end"
    return _cut(f'"{value}"' if isinstance(value, str) else str(value), _LONGEST)


def _readable(model: type[BaseModel], loc: Sequence[int | str]) -> str:
    """The path without the tags that pydantic puts in for members of unions."""
    parts: list[str] = []
    here: dict[str, Any] = {name: field.annotation for name, field in model.model_fields.items()}
    is_key = False
    for index, part in enumerate(loc):
        if isinstance(part, int):
            parts[-1] += f"[{part}]"
            continue
        if part != _OF_A_KEY and (is_key or part in here or part not in _tags(model, loc[:index])):
            parts.append(part)
        # What a user calls something may be a tag's or a field's name.
        is_key = not is_key and get_origin(here.get(part)) is dict
        here = _fields_at(model, loc[: index + 1])
    return ".".join(parts)


def _fields_at(model: type[BaseModel], loc: Sequence[int | str]) -> dict[str, Any]:
    """The fields, with their annotations, of whatever block stands at `loc`."""
    blocks = _blocks_at(model, loc)
    return {name: field.annotation for b in blocks for name, field in b.model_fields.items()}


def _blocks_at(model: type[BaseModel], loc: Sequence[int | str]) -> list[type[BaseModel]]:
    blocks: list[type[BaseModel]] = [model]
    is_key = False
    for part in loc:
        if isinstance(part, int):
            continue
        named = [b.model_fields[part].annotation for b in blocks if part in b.model_fields]
        named = [] if is_key else named
        is_key = any(get_origin(it) is dict for it in named)
        if named:
            blocks = [inner for annotation in named for inner in models_in(annotation)]
        else:
            blocks = [b for b in blocks if part in _tag_values(b)] or blocks
    return blocks


def _tags(model: type[BaseModel], loc: Sequence[int | str]) -> set[str]:
    blocks: list[type[BaseModel]] = [model]
    for part in loc:
        named = [b.model_fields[part].annotation for b in blocks if part in b.model_fields]
        blocks = [inner for annotation in named for inner in models_in(annotation)] or blocks
    return {tag for b in blocks for tag in _tag_values(b)}


def _tag_values(block: type[BaseModel]) -> set[str]:
    fields = [block.model_fields[name].annotation for name in _TAGS if name in block.model_fields]
    return {str(tag) for it in fields if get_origin(it) is Literal for tag in get_args(it)}


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (Annotated, Union, tuple, dict) or get_args(annotation):
        for inner in get_args(annotation):
            yield from models_in(inner)
