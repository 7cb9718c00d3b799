"""What a field wants in the place of a value that is none for it: in words, and as values that are
near to what stands there. No Pulumi."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from math import inf, isfinite
from typing import Any, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from catalog.bounds import Bounds
from stacks.model_places import (
    annotation_of,
    blocks_in,
    choices_in,
    entries_in,
    item_in,
    may_be_absent,
    members,
    tag_of,
    tag_values,
)
from stacks.offers import REMOVE, Suggestion, split
from stacks.plain_values import shown
from stacks.units import in_unit_of
from stacks.value_checks import Octal

_ONE_LIKE = "one like "
_MOST_OFFERED = 3
_MOST_MEANT = 2
# A block in a block in a block, and no more.
_DEEPEST = 4
_HUGE = 1e300
_PAIR = re.compile(r"-{0,2}([^=:\s]{1,80})(?:=|:\s*)([^=:\s]{1,200})")
# A taint as kubectl has it, or a flag.
_PARTS = re.compile(r"-{0,2}([^=:\s]{1,80})=([^=:\s]{1,80})(?::([^=:\s]{1,80}))?")
_TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class Wanted:
    """Why a value is wrong, and what does in its place; `example` where nothing of the value is in
    that, and then `farthest` is another that does."""

    reason: str
    suggestion: Suggestion | None
    example: bool = False
    farthest: Any = None
    alternatives: tuple[Any, ...] = ()


def wanted(
    name: str, annotation: Any, field: FieldInfo | None, value: Any, *, hidden: bool
) -> Wanted:
    """What a place called `name` wants in the place of `value`."""
    choices = choices_in(annotation)
    hints = [] if hidden else list(_near(name, annotation, value))
    known = [it for it in _unique(hints) if fits(annotation, it)][:_MOST_OFFERED]
    reason = _reason(annotation, value, hidden=hidden)
    if known:
        bounds = bounds_in(annotation)
        ends = [bounds.clamped_number(it) for it in (inf, -inf)] if bounds else []
        words = choices or ([True, False] if bool in members(annotation) else [])
        others = tuple(it for it in words if it != known[0])
        farthest = next((it for it in (*ends, *others) if it != known[0]), None)
        # Of a whole block that we make of a value nothing else is known to be what the user wants.
        is_block = entries_in(annotation) is not None or bool(list(blocks_in(annotation)))
        made_up = is_block and not isinstance(value, dict)
        near = Suggestion.of_values(*known)
        # The other guess is the first of them.
        others = (known[0],) if made_up else others
        return Wanted(reason, near, made_up, farthest, alternatives=others)
    if choices:
        texts = {str(it): it for it in choices}
        alike = [] if hidden else get_close_matches(str(value)[:80], texts, n=3, cutoff=0.5)
        listed = [texts[it] for it in alike]
        if listed:
            others = tuple(it for it in choices if it != listed[0])
            near = Suggestion.of_values(*listed)
            return Wanted(reason, near, farthest=next(iter(others), None), alternatives=others)
        known = sorted(choices, key=str)
        near, others = Suggestion.of_values(*known), tuple(known)
        return Wanted(reason, near, example=True, farthest=known[0], alternatives=others)
    if value is None and may_be_absent(field):
        example = _example(name, annotation, 0)
        return Wanted(reason, Suggestion.of_values(REMOVE), example=True, farthest=example)
    if bool in members(annotation):
        return Wanted(reason, Suggestion.of_values(True, False))
    if bounds := bounds_in(annotation):
        low, high = bounds.clamped_number(-inf), bounds.clamped_number(inf)
        return Wanted(reason, Suggestion.of_values(low), example=True, farthest=high)
    example = _example(name, annotation, 0)
    near = example_of(name, annotation)
    if may_be_absent(field):
        # Who wrote nothing wants nothing; who wrote something is shown how that is written.
        leave_out = Suggestion.of_values(REMOVE)
        near = leave_out if near is None or _is_nothing(value) else near.or_else(REMOVE)
    return Wanted(reason, near, example=True, farthest=example)


def _is_nothing(value: Any) -> bool:
    return value is None or value in ("", [], {}, (), False)


def example_of(name: str, annotation: Any) -> Suggestion | None:
    """One value that a place called `name` takes."""
    value = _example(name, annotation, 0)
    if value is None:
        return None
    is_text = isinstance(value, str) and not choices_in(annotation)
    return Suggestion.of_values(value, lead=_ONE_LIKE if is_text else "")


def fits(annotation: Any, value: Any) -> bool:
    """Whether a type takes a value, whatever rules say."""
    try:
        _adapter(annotation).validate_python(value)
    except ValidationError:
        return False
    return True


def bounds_in(annotation: Any) -> Bounds | None:
    """The bounds of a number; not those of numbers in a list or a block."""
    if get_origin(annotation) in (tuple, frozenset, dict):
        return None
    for inner in get_args(annotation):
        if isinstance(inner, Bounds):
            return inner
        if bounds := bounds_in(inner):
            return bounds
    return None


_ADAPTERS: dict[int, tuple[Any, TypeAdapter[Any]]] = {}


def _adapter(annotation: Any) -> TypeAdapter[Any]:
    """Types with constraints have no hash; kept, they keep their identity."""
    known = _ADAPTERS.get(id(annotation))
    if known is None:
        known = _ADAPTERS[id(annotation)] = (annotation, TypeAdapter(annotation))
    return known[1]


def _reason(annotation: Any, value: Any, *, hidden: bool) -> str:
    what = "[hidden]" if hidden else shown(value)
    kinds = list(members(annotation))
    if choices_in(annotation):
        return f"{what}: not one of them"
    if _wants_text(annotation) and isinstance(value, bool | int | float):
        return f"{what} is {'a number' if not isinstance(value, bool) else 'no text'} to YAML"
    if bool in kinds:
        return f"{what} is neither true nor false"
    if value in ([], {}, ()) and (entries_in(annotation) or item_in(annotation) is not None):
        return f"{what}, where at least one is wanted"
    if entries_in(annotation) or list(blocks_in(annotation)):
        return f"{what} is no block of keys"
    if item_in(annotation) is not None:
        return f"{what} is no list"
    if int in kinds:
        return f"{what} is no whole number"
    if float in kinds:
        return f"{what} is no number"
    return f"{what} is no text"


def _wants_text(annotation: Any) -> bool:
    """What is written as text, or parsed from it."""
    others = (bool, int, float, type(None), None)
    kinds = [it for it in members(annotation) if it not in others]
    plain = [it for it in kinds if get_origin(it) is None and not issubclass(it, BaseModel)]
    return bool(plain) and not choices_in(annotation)


def _near(name: str, annotation: Any, value: Any, depth: int = 0) -> Iterator[Any]:
    """What may be meant, the nearest first; not all of it fits."""
    if depth >= _DEEPEST or value is None:
        return
    entries = entries_in(annotation)
    yield from _near_words(annotation, value)
    yield from _near_numbers(name, annotation, value)
    if (item := item_in(annotation)) is not None:
        yield from _near_lists(name, item, value, depth)
    elif isinstance(value, list | tuple) and (len(value) == 1 or (value and not entries)):
        # A list with what is wanted in it.
        yield from _itself_or_near(name, annotation, value[0], depth)
    if entries is not None:
        yield from _near_entries(name, entries, value, depth)
    elif blocks := list(blocks_in(annotation)):
        yield from _near_blocks(name, blocks, value, depth)
    elif isinstance(value, dict) and len(value) == 1:
        yield from _itself_or_near(name, annotation, next(iter(value.values())), depth)


def _near_words(annotation: Any, value: Any) -> Iterator[Any]:
    if choices := choices_in(annotation):
        folded = {_folded(it): it for it in choices}
        found = folded.get(_folded(value)) if isinstance(value, str | int) else None
        yield from () if found is None else (found,)
    elif _wants_text(annotation):
        yield from _near_text(annotation, value)
    elif bool in members(annotation) and isinstance(value, str):
        truth = _TRUTHS.get(_folded(value))
        yield from () if truth is None else (truth,)


def _folded(word: Any) -> str:
    return str(word)[:80].strip().casefold().replace("_", "-")


def _itself_or_near(name: str, annotation: Any, value: Any, depth: int) -> Iterator[Any]:
    if value is not None:
        yield value
    yield from _near(name, annotation, value, depth + 1)


def _near_text(annotation: Any, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, int) and abs(value) < 10**18:
        # YAML reads 0664 as 436.
        if value >= 0 and _is_octal(annotation):
            yield f"{value:o}"
        yield str(value)
    elif isinstance(value, float) and isfinite(value):
        yield str(value)
        # YAML reads 1.30 as 1.3.
        if re.fullmatch(r"\d+\.[1-9]", str(value)):
            yield f"{value}0"


def _is_octal(annotation: Any) -> bool:
    return any(isinstance(it, Octal) or _is_octal(it) for it in get_args(annotation))


def _near_numbers(name: str, annotation: Any, value: Any) -> Iterator[Any]:
    bounds = bounds_in(annotation)
    if bounds is None:
        return
    number = in_unit_of(name, value) if isinstance(value, str) else value
    if isinstance(number, Fraction):
        number = float(number)
    if isinstance(number, bool) or not isinstance(number, int | float):
        return
    if -_HUGE < number < _HUGE:
        near = round(number) if int in members(annotation) else number
        yield bounds.clamped_number(near)


def _near_lists(name: str, item: Any, value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        return
    blocks = list(blocks_in(item))
    if isinstance(value, dict) and not blocks:
        # The names of a block, or what stands under them.
        yield list(value.values())
        yield list(value)
    for block in blocks[:1] if isinstance(value, dict) else ():
        # Under each name what the first two fields of an item are.
        pairs = [_fields_of(block, [key, inner]) for key, inner in value.items()]
        if not value.keys() & block.model_fields.keys() and fits(item, pairs[0] if pairs else None):
            yield pairs
    for one in _itself_or_near(name, item, value, depth):
        if fits(item, one):
            yield [one]


def _near_entries(name: str, entries: tuple[Any, Any], value: Any, depth: int) -> Iterator[Any]:
    key, inner = entries
    if isinstance(value, dict):
        return
    values = list(value) if isinstance(value, list | tuple) else [value]
    named = _named_blocks(inner, values)
    for together in (named, _pairs(values), _names(key, inner, values, depth)):
        known = {str(it): found for it, one in together for found in _first_fit(inner, one, depth)}
        if known and len(known) == len(values) and all(fits(key, it) for it in known):
            yield known
            return
    for one in values if len(values) == 1 else ():
        for near in _itself_or_near("", inner, one, depth):
            if near not in ("", [], {}) and fits(inner, near):
                yield {_example("", key, depth + 1): near}


def _first_fit(annotation: Any, value: Any, depth: int) -> list[Any]:
    found = _itself_or_near("", annotation, value, depth)
    return [it for it in found if fits(annotation, it)][:1]


def _named_blocks(inner: Any, values: list[Any]) -> list[tuple[Any, Any]]:
    """A list of blocks that have their name, or key, in them; of one key each, its name."""
    keep = any("name" in it.model_fields for it in blocks_in(inner))
    found: list[tuple[Any, Any]] = []
    for one in values:
        if not isinstance(one, dict):
            return []
        named = next((it for it in ("name", "key") if isinstance(one.get(it), str)), None)
        rest = {key: it for key, it in one.items() if key != named or keep}
        if named is not None:
            found.append((one[named], rest.get("value") if rest.keys() == {"value"} else rest))
        elif len(one) == 1:
            found += one.items()
        else:
            return []
    return found


def _pairs(values: list[Any]) -> list[tuple[Any, Any]]:
    """Texts such as KEY=VALUE."""
    found = [_PAIR.fullmatch(it) if isinstance(it, str) else None for it in values]
    return [(it[1], it[2]) for it in found if it is not None]


def _names(key: Any, inner: Any, values: list[Any], depth: int) -> list[tuple[Any, Any]]:
    """Texts that are names, each with what the least of its kind is."""
    if not all(isinstance(it, str) and fits(key, it) for it in values):
        return []
    blocks = list(blocks_in(inner))
    if blocks and fits(inner, {}):
        return [(it, {}) for it in values]
    return [(it, _example(it, inner, depth + 1)) for it in values]


def _fields_of(block: type[BaseModel], parts: list[Any]) -> dict[str, Any]:
    """The first fields of a block with a part each."""
    return dict(zip(block.model_fields, parts, strict=False))


def _near_blocks(name: str, blocks: list[type[BaseModel]], value: Any, depth: int) -> Iterator[Any]:
    if len(blocks) > 1:
        yield from _near_tagged(blocks, value, depth)
    elif isinstance(value, dict):
        yield from _near_pair(blocks[0], value, depth)
    elif isinstance(value, list | tuple):
        names = blocks[0].model_fields
        fitting = [it for it in names if _says_more(annotation_of(blocks[0], it), [*value])]
        yield from ({it: [*value]} for it in fitting[:_MOST_MEANT])
    else:
        yield from _near_block(blocks[0], value, depth)


def _near_tagged(blocks: list[type[BaseModel]], value: Any, depth: int) -> Iterator[Any]:
    """Blocks that a word tells apart."""
    if not isinstance(value, str):
        return
    tag = tag_of(blocks)
    known = sorted(one for block in blocks for one in tag_values(block))
    for word in get_close_matches(value[:80], known, n=2, cutoff=0.6):
        block = next(it for it in blocks if word in tag_values(it))
        yield {tag: word, **_needed(block, depth)}


def _near_pair(block: type[BaseModel], value: dict[Any, Any], depth: int) -> Iterator[Any]:
    """A name with what it is, in the place of the first two fields."""
    if len(value) == 1 and depth < _MOST_MEANT and not value.keys() & block.model_fields.keys():
        pair = _fields_of(block, [*value.keys(), *value.values()])
        yield from (pair,) if fits(block, pair) else ()


def _near_block(block: type[BaseModel], value: Any, depth: int) -> Iterator[Any]:
    """A block of what a text, or a number, says."""
    if isinstance(value, str) and (found := _PARTS.fullmatch(value)):
        yield _fields_of(block, [it for it in found.groups() if it])
    required = [name for name, it in block.model_fields.items() if it.is_required()]
    telling = [it for it in required if _says_more(annotation_of(block, it), value)]
    if len(required) > 1 and len(telling) == 1:
        yield {**_needed(block, depth), telling[0]: value}
    if len(required) == 1:
        inner = annotation_of(block, required[0])
        found = _itself_or_near(required[0], inner, value, depth)
        yield from ({required[0]: it} for it in found if it)
    elif not required and not depth:
        fields = [(it, annotation_of(block, it)) for it in block.model_fields]
        for one in (value, [value]):
            fitting = [it for it, inner in fields if _says_more(inner, one)]
            # Of many it is not known which is meant.
            yield from ({it: one} for it in fitting if len(fitting) <= _MOST_MEANT)
    if isinstance(value, str) and "name" in block.model_fields:
        yield {"name": value}


def _says_more(annotation: Any, value: Any) -> bool:
    """Whether a field takes a value, and not any other of its type."""
    if isinstance(value, bool):
        return bool in members(annotation)
    telling = bool(choices_in(annotation)) or bounds_in(annotation) is not None
    if isinstance(value, str):
        telling = telling or not (fits(annotation, "word") or fits(annotation, "my-word"))
    if isinstance(value, list):
        telling = bool(value) and not fits(annotation, ["word"]) and not fits(annotation, [1])
    return telling and fits(annotation, value)


def _example(name: str, annotation: Any, depth: int) -> Any:
    """None where nothing simple does."""
    if depth >= _DEEPEST:
        return None
    if choices := choices_in(annotation):
        return choices[0]
    if bounds := bounds_in(annotation):
        return bounds.clamped_number(max(bounds.low, min(1, bounds.high)))
    if (item := item_in(annotation)) is not None:
        inner = _example(name, item, depth + 1)
        return None if inner is None else [inner]
    if (entries := entries_in(annotation)) is not None:
        key, inner = _example("", entries[0], depth + 1), _example(name, entries[1], depth + 1)
        return None if key is None or inner is None else {key: inner}
    if blocks := list(blocks_in(annotation)):
        block = blocks[0]
        tag = {tag_of(blocks): sorted(tag_values(block))[0]} if len(blocks) > 1 else {}
        needed = _needed(block, depth)
        return {**tag, **needed} or _first_default(block, depth)
    return _example_text(name, annotation)


def _needed(block: type[BaseModel], depth: int) -> dict[str, Any]:
    """What a block cannot do without."""
    found = {
        name: _example(name, annotation_of(block, name), depth + 1)
        for name, field in block.model_fields.items()
        if field.is_required()
    }
    return {name: it for name, it in found.items() if it is not None}


def _first_default(block: type[BaseModel], depth: int) -> dict[str, Any]:
    """One key of a block that has a value for each, with that, or with an example."""
    for name, field in block.model_fields.items():
        value = field.get_default(call_default_factory=False)
        if isinstance(value, bool | int | float | str) and value != "":
            return {name: str(value) if isinstance(value, str) else value}
    names = list(block.model_fields)
    example = _example(names[0], annotation_of(block, names[0]), depth + 1) if names else None
    return {} if example in (None, {}, []) else {names[0]: example}


def _example_text(name: str, annotation: Any) -> str | None:
    """A text that the field's own check takes, or the one that the check says."""
    text = f"my-{name.replace('_', '-')}" if name else "first"
    try:
        _adapter(annotation).validate_python(text)
    except ValidationError as error:
        suggestion = split(str(error.errors()[0].get("ctx", {}).get("error", "")))[1]
        offers = suggestion.offers if suggestion is not None else ()
        return offers[0].value if offers else None
    return text


def _unique(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(type(value) is type(it) and value == it for it in found):
            found.append(value)
    return found
