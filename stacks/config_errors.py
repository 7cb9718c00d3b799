"""Validation errors as lines that a person can act on: field, value, why, nearest. No Pulumi."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from math import inf, isnan
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from catalog.bounds import Bounds
from stacks.key_places import ANY_NAME, misplaced_tag, where_it_belongs, within_entry
from stacks.mistakes import HIDDEN, Mistake, field_name, written
from stacks.model_places import (
    TAGS,
    Located,
    blocks_in,
    located,
    tag_of,
    tag_values,
)
from stacks.offers import LEAVE_OUT, Suggestion, split
from stacks.plain_values import Place, shown
from stacks.problems import ForeignKeysError
from stacks.wanted import bounds_in, example_of, wanted

_SENSITIVE = re.compile(r"token|secret|password|key", re.IGNORECASE)
_LONGEST = 80
_MODEL = "model"
_NO_SUCH_KEY = "there is no such key"
# What follows from a mistake that is told.
_ECHOES = frozenset({"default_factory_not_called"})


def mistakes_of(
    error: ValidationError, model: type[BaseModel], raw: Mapping[str, Any], *, hide_values: bool
) -> Iterator[Mistake]:
    """In the order of the fields; values stay out where they may be secret."""
    errors = error.errors(include_url=False)
    within = {it["loc"][:-1] for it in errors}
    # A list whose only entries are wrong is too short as well.
    details = [
        it
        for it in errors
        if it["type"] not in _ECHOES and not (it["type"] == "too_short" and it["loc"] in within)
    ]
    found = [_mistake(it, model, raw, hide_values=hide_values) for it in details]
    # What is missing because its key is misspelt, or stands elsewhere, is not missing, too.
    found = list(dict.fromkeys(found))
    moved = {it.moved for it in found if it.moved is not None}
    misplaced = {(*it.place, *it.surplus) for it in found if it.surplus and not it.of_key}
    keys = {(*it.place, *it.surplus) for it in found if it.of_key}
    for one in found:
        if not one.of_key and one.place in keys:
            # What stands under a name that is none is not told before the name is one.
            continue
        whole = (*one.place, *one.surplus)
        if one.missing and any(it[: len(one.place)] == one.place for it in moved):
            continue
        if not any(whole[: len(it)] == it and len(it) < len(whole) for it in misplaced):
            yield one


def nearest(text: str, known: Sequence[str]) -> str:
    return ", ".join(get_close_matches(text, known, n=3, cutoff=0.5) or sorted(known))


def _mistake(
    detail: ErrorDetails, model: type[BaseModel], raw: Mapping[str, Any], *, hide_values: bool
) -> Mistake:
    at = located(model, detail["loc"])
    path = written(at.place)
    name = str(at.place[-1]) if at.place else ""
    hidden = hide_values or _SENSITIVE.search(name) is not None
    if detail["type"] != "value_error" or at.of_key:
        entry = _misplaced_entry(model, raw, at.place)
        if entry is not None:
            return entry
    if at.of_key:
        return _wrong_name(detail, at, hidden=hidden)
    if not at.place:
        return _of_check(detail, at, hidden=hidden)
    match detail["type"]:
        case "extra_forbidden":
            return _wrong_key(detail, at, model, raw)
        case "missing":
            return _missing(at)
        case "union_tag_invalid" | "union_tag_not_found" if isinstance(detail["input"], dict):
            return _wrong_tag(detail, at, hidden=hidden)
        case "value_error":
            return _of_check(detail, at, hidden=hidden)
    if (bounds := bounds_in(at.annotation)) and (
        beyond := _out_of_bounds(detail, at, bounds, hidden=hidden)
    ):
        return beyond
    found = wanted(name, at.annotation, at.field, detail["input"], hidden=hidden)
    return Mistake(
        path,
        found.reason,
        found.suggestion,
        at.place,
        example=found.example,
        farthest=found.farthest,
        alternatives=found.alternatives,
    )


def _misplaced_entry(
    model: type[BaseModel], raw: Mapping[str, Any], place: Place
) -> Mistake | None:
    """Of a place in what stands among names of the user's, and is a key of what they name."""
    for end in range(1, len(place) + 1):
        *above, key = place[:end]
        if isinstance(key, str) and _has(raw, place[:end]):
            value = _value_at(raw, place[:end])
            if places := within_entry(model, raw, tuple(above), key, value):
                return _misplaced(place[:end], places)
    return None


def _wrong_key(
    detail: ErrorDetails, at: Located, model: type[BaseModel], raw: Mapping[str, Any]
) -> Mistake:
    """Without the value: what a misspelt key holds may well be a token."""
    *above, key = at.place
    block = tuple(above)
    belongs = where_it_belongs(model, raw, block, str(key), detail["input"])
    if belongs.places:
        return _misplaced(at.place, belongs.places)
    reason, near = _NO_SUCH_KEY, belongs.written or ", ".join(belongs.names) or LEAVE_OUT
    if belongs.tags:
        tag = belongs.tags[0].partition(": ")[0]
        own = _value_at(raw, block).get(tag)
        others = [it.removeprefix(f"{tag}: ") for it in belongs.tags]
        reason = f"{_NO_SUCH_KEY} where {tag} is {own}, only where it is {' or '.join(others[:4])}"
    return Mistake(
        written(at.place),
        reason,
        Suggestion(rest=near),
        block,
        surplus=(str(key),),
        moved=(*block, belongs.names[0]) if belongs.meant else None,
        moved_value=belongs.value,
    )


def _misplaced(place: Place, belongs: Sequence[Place]) -> Mistake:
    near = ", ".join(field_name(written(it)) for it in belongs)
    known = ANY_NAME not in belongs[0]
    return Mistake(
        written(place),
        _NO_SUCH_KEY,
        Suggestion(rest=near),
        place[:-1],
        surplus=(str(place[-1]),),
        moved=belongs[0] if known else None,
        anywhere=None if known else belongs[0],
        or_moved=tuple(it for it in belongs[1:] if known and ANY_NAME not in it),
    )


def _wrong_name(detail: ErrorDetails, at: Located, *, hidden: bool) -> Mistake:
    """Of a name that the user gave to an entry."""
    if detail["type"] == "value_error":
        reason, suggestion = split(str(detail.get("ctx", {}).get("error", "")))
        if hidden:
            reason, suggestion = HIDDEN, None
    else:
        found = wanted("", at.annotation, None, detail["input"], hidden=hidden)
        reason, suggestion = found.reason, found.suggestion
    *block, key = at.place
    offers = suggestion.offers if suggestion else ()
    return Mistake(
        written(at.place),
        reason,
        suggestion,
        tuple(block),
        surplus=(str(key),),
        moved=(*block, offers[0].value) if offers else None,
        of_key=True,
    )


def _missing(at: Located) -> Mistake:
    name = str(at.place[-1])
    suggestion = example_of(name, at.annotation)
    farthest = suggestion.offers[0].value if suggestion else None
    return Mistake(
        written(at.place),
        "missing",
        suggestion,
        at.place,
        missing=True,
        example=True,
        farthest=farthest,
    )


def _wrong_tag(detail: ErrorDetails, at: Located, *, hidden: bool) -> Mistake:
    blocks = list(blocks_in(at.annotation))
    tag = tag_of(blocks) if blocks else TAGS[0]
    given = detail["input"].get(tag)
    known = sorted(one for it in blocks for one in tag_values(it))
    near = nearest("" if hidden else str(given)[:_LONGEST], known).split(", ")
    wrong = f"{'[hidden]' if hidden else shown(given)}: not one of them"
    place = (*at.place, tag)
    reason = "missing" if given is None else wrong
    if given is None and (found := misplaced_tag(detail["input"], at.place, tag, known)):
        return _misplaced(found, [place])
    # Of all that there are none is known to be the one that is meant.
    example = len(near) == len(known)
    return Mistake(
        written(place),
        reason,
        Suggestion.of_values(*near),
        place,
        example=example,
        missing=given is None,
    )


def _of_check(detail: ErrorDetails, at: Located, *, hidden: bool) -> Mistake:
    """What a check of ours says of a value."""
    cause = detail.get("ctx", {}).get("error", detail["msg"])
    surplus = cause.keys if isinstance(cause, ForeignKeysError) else ()
    reason, suggestion = (HIDDEN, None) if hidden else split(str(cause))
    field = at.field if at.place[-1:] == (_MODEL,) else None
    default = None if field is None else field.default
    if suggestion is not None and suggestion.lead and isinstance(default, str):
        # Rules then judge the one that is there by default, and no example of ours.
        suggestion = Suggestion.of_values(default, lead=suggestion.lead)
    near = suggestion.offers[0].value if suggestion and suggestion.offers else None
    example = suggestion is not None and bool(suggestion.lead)
    return Mistake(
        written(at.place),
        reason,
        suggestion,
        at.place,
        farthest=_other_end(at.annotation, near) if near is not None and not example else near,
        surplus=tuple(surplus),
        alternatives=tuple(it.value for it in suggestion.offers[1:]) if suggestion else (),
        example=example,
    )


def _other_end(annotation: Any, near: Any) -> Any:
    """Another value than the nearest, as far from it as may be; None where none is known."""
    bounds = bounds_in(annotation)
    ends = [bounds.clamped_number(inf), bounds.clamped_number(-inf)] if bounds else []
    others = ends or ([near + 1] if type(near) is int else [])
    return next((it for it in others if it != near), None)


def _out_of_bounds(
    detail: ErrorDetails, at: Located, bounds: Bounds, *, hidden: bool
) -> Mistake | None:
    """None where the value is no number."""
    number = detail["input"]
    value = "[hidden]" if hidden else shown(number)
    match detail["type"]:
        case "less_than_equal":
            near = bounds.clamped_number(inf)
            reason = f"{value} is more than {bounds.why}"
        case "greater_than_equal":
            near = bounds.clamped_number(-inf)
            reason = f"{value} is less than {near}"
        case "finite_number" | "int_parsing_size":
            near = bounds.clamped_number(
                -inf if isinstance(number, float) and isnan(number) else inf
            )
            reason = f"{value} is no number that ends"
        case _:
            return None
    far = _other_end(at.annotation, near)
    path = written(at.place)
    return Mistake(path, reason, Suggestion.of_values(near), at.place, farthest=far)


def _has(raw: Any, place: Place) -> bool:
    try:
        _value_at(raw, place)
    except (LookupError, TypeError):
        return False
    return True


def _value_at(raw: Any, place: Place) -> Any:
    for part in place:
        raw = raw[part]
    return raw
