"""Where a key belongs that stands where no model has it: under another spelling, one level higher
or lower, or in a block by a name. No Pulumi."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from math import isfinite
from typing import Any, NamedTuple

from pydantic import BaseModel

from catalog.table import letters_between
from stacks.key_synonyms import keys_called, written_for
from stacks.model_places import (
    annotation_of,
    blocks_in,
    chosen,
    entries_in,
    item_in,
    tag_of,
    tag_values,
)
from stacks.plain_values import Place
from stacks.units import converted, unit_of, without_unit
from stacks.wanted import fits

# In a path, for a name of the user's that the message does not choose.
ANY_NAME = "NAME"
_OURS = frozenset({"project", "region", "zone", "secrets_set"})
_MOST_TOLD = 3
_CLOSE = 0.5
_ALIKE = 0.75
# So many keys are all told where none is near.
_FEW = 6


class Belongs(NamedTuple):
    """`names` are keys of the same block, best first, of which the first is `meant` where nothing
    else can be, with `value` in the place of what it had; else `places` are where the key belongs.
    `written` is the key with its value. Blocks of other kinds, by their `tags`, have the key."""

    names: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    meant: bool = False
    value: Any = None
    written: str | None = None
    tags: tuple[str, ...] = ()


def known_keys(model: type[BaseModel], raw: Mapping[str, Any], block: Place) -> list[str]:
    """The keys that a block of a config may have."""
    annotation = _annotation_at(model, raw, block)
    names = {name for it in chosen(annotation, _at(raw, block)) for name in it.model_fields}
    return sorted(names - (_OURS if not block else frozenset()))


def where_it_belongs(
    model: type[BaseModel], raw: Mapping[str, Any], block: Place, key: str, value: Any
) -> Belongs:
    """Of a key that a block does not have."""
    known = known_keys(model, raw, block)
    here = _annotation_at(model, raw, block)
    spelt = [it for it in known if _plain(it) == _plain(key)]
    if spelt:
        return Belongs(names=tuple(spelt), meant=True)
    if found := _in_another_unit(here, raw, block, known, key, value):
        return found
    if found := _slip_or_near(model, raw, block, key, value):
        return found
    if tags := _tags_with(here, _at(raw, block), key):
        return Belongs(tags=tags)
    if written := written_for(key, known):
        return Belongs(written=written)
    if called := keys_called(key, known):
        taking = [it for it in called if _takes(here, raw, block, it, value)]
        return Belongs(names=tuple(taking or called), meant=len(taking) == 1)
    if places := _only_place(model, raw, block, key, value):
        return Belongs(places=places)
    close = get_close_matches(key, known, n=_MOST_TOLD, cutoff=_CLOSE)
    taking = [it for it in close if _takes(here, raw, block, it, value)]
    if close:
        alike = bool(taking) and bool(get_close_matches(key.lower(), taking[:1], cutoff=_ALIKE))
        return Belongs(names=tuple(taking or close), meant=alike)
    return Belongs(names=tuple(known) if len(known) <= _FEW else ())


def _slip_or_near(
    model: type[BaseModel], raw: Mapping[str, Any], block: Place, key: str, value: Any
) -> Belongs | None:
    """A key with one letter wrong, unless a block near has the very key and it alone takes the
    value; else the places near."""
    here = _annotation_at(model, raw, block)
    known = known_keys(model, raw, block)
    places = _near_places(model, raw, block, key, value)
    slips = [it for it in known if letters_between(key.lower(), it) == 1 and len(it) > 3]
    meant = bool(slips) and _takes(here, raw, block, slips[0], value)
    if slips and (meant or not places):
        return Belongs(names=tuple(slips), meant=meant)
    return Belongs(places=places[:_MOST_TOLD]) if places else None


def _in_another_unit(
    here: Any, raw: Mapping[str, Any], block: Place, known: Sequence[str], key: str, value: Any
) -> Belongs | None:
    """The key that is the same but for its unit, with the amount in that."""
    stem = without_unit(key)
    same = [it for it in known if stem and without_unit(it) == stem]
    if not same:
        return None
    (name, *_) = same
    if isinstance(value, bool) or not isinstance(value, int | float) or not unit_of(key):
        return Belongs(names=(name,), meant=True)
    number = float(converted(Fraction(value), key, name)) if isfinite(value) else value
    better = round(number) if _takes(here, raw, block, name, round(number)) else number
    written = None if better == value else f"{name}: {better}"
    return Belongs(names=(name,), meant=True, value=better, written=written)


def _tags_with(annotation: Any, given: Any, key: str) -> tuple[str, ...]:
    """What the blocks are called that have the key, where the one that stands there has not."""
    blocks, own = list(blocks_in(annotation)), chosen(annotation, given)
    if len(blocks) < 2 or len(own) != 1:
        return ()
    tag = tag_of(blocks)
    having = [it for it in blocks if key in it.model_fields]
    return tuple(f"{tag}: {it}" for block in having for it in sorted(tag_values(block)))


def _takes(here: Any, raw: Mapping[str, Any], block: Place, name: str, value: Any) -> bool:
    models = [it for it in chosen(here, _at(raw, block)) if name in it.model_fields]
    return any(fits(annotation_of(it, name), value) for it in models)


def within_entry(
    model: type[BaseModel], raw: Mapping[str, Any], block: Place, key: str, value: Any
) -> tuple[Place, ...]:
    """Where a key belongs that stands among names of the user's, and is a key of what they name, or
    of a block around them."""
    entries = entries_in(_annotation_at(model, raw, block))
    if entries is None or not list(blocks_in(entries[1])):
        return ()
    above = _above(model, raw, block, key, value)
    known = any(key in it.model_fields for it in blocks_in(entries[1]))
    if not (above or known) or fits(entries[1], value):
        return ()
    return tuple(_in_entries(entries[1], raw, block, key, value))[:_MOST_TOLD] or above


def misplaced_tag(
    block: Mapping[str, Any], place: Place, tag: str, known: Sequence[str]
) -> Place | None:
    """Where the key stands that tells a block from others, if not where it belongs."""
    for key, value in block.items():
        spelt = _plain(key) == _plain(tag) or get_close_matches(key, [tag], cutoff=_CLOSE)
        if spelt and value in known:
            return (*place, key)
        if isinstance(value, dict) and value.get(tag) in known:
            return (*place, key, tag)
    return None


def _near_places(
    model: type[BaseModel], raw: Mapping[str, Any], block: Place, key: str, value: Any
) -> tuple[Place, ...]:
    """Where the model has the key, and the config does not: beside the block, or in a block of it;
    or the block that the value is an entry of."""
    here = _annotation_at(model, raw, block)
    up = _above(model, raw, block, key, value)
    down = tuple(_below(here, raw, block, key, value))
    if up or down:
        return up or down
    return tuple(_as_entry(here, raw, block, key, value))


def _only_place(
    model: type[BaseModel], raw: Mapping[str, Any], block: Place, key: str, value: Any
) -> tuple[Place, ...]:
    """The one place of the whole model that has the key."""
    own = (*block, key)
    everywhere = [
        it for it in _everywhere(model, key, value) if not _has(raw, it) and not _is_at(it, own)
    ]
    kinds = {tuple(ANY_NAME if isinstance(part, int) else part for part in it) for it in everywhere}
    return tuple(everywhere[:1]) if len(kinds) == 1 else ()


def _is_at(general: Place, place: Place) -> bool:
    """Whether a place of the model is that of a config."""
    same = len(general) == len(place)
    return same and all(it in (ANY_NAME, one) for it, one in zip(general, place, strict=True))


def _above(
    model: type[BaseModel], raw: Mapping[str, Any], block: Place, key: str, value: Any
) -> tuple[Place, ...]:
    """In a block that the block stands in."""
    for end in range(len(block) - 1, -1, -1):
        place = block[:end]
        for one in chosen(_annotation_at(model, raw, place), _at(raw, place)):
            if key in one.model_fields and not _has(raw, (*place, key)) and key not in _OURS:
                return ((*place, key),) if fits(annotation_of(one, key), value) else ()
    return ()


def _below(
    annotation: Any, raw: Mapping[str, Any], block: Place, key: str, value: Any
) -> Iterator[Place]:
    """In a block that the block has, or may have."""
    for one in chosen(annotation, _at(raw, block)):
        for name in one.model_fields:
            place, inner = (*block, name), annotation_of(one, name)
            entries = entries_in(inner)
            if entries is not None:
                yield from _in_entries(entries[1], raw, place, key, value)
                continue
            given = _at(raw, place)
            # One without the key that tells it from others may be any of them.
            own = chosen(inner, given) if isinstance(given, dict) else []
            blocks = own or list(blocks_in(inner))
            for it in blocks:
                having = _called_in(it, key)
                if having is None or item_in(inner) is not None or _has(raw, (*place, having)):
                    continue
                if fits(annotation_of(it, having), value):
                    yield (*place, having)
                    break


def _called_in(block: type[BaseModel], key: str) -> str | None:
    """The key as a block has it, with its unit."""
    if key in block.model_fields:
        return key
    return next((it for it in block.model_fields if unit_of(it) and without_unit(it) == key), None)


def _in_entries(
    annotation: Any, raw: Mapping[str, Any], block: Place, key: str, value: Any
) -> Iterator[Place]:
    """In the entries of a block by names: in the only one that lacks it, else in any."""
    given = _at(raw, block)
    names = list(given) if isinstance(given, dict) else []
    having = [it for it in blocks_in(annotation) if key in it.model_fields]
    if not any(fits(annotation_of(it, key), value) for it in having):
        return
    blocks = {it: given[it] for it in names if isinstance(given[it], dict)}
    lacking = [
        name
        for name, it in blocks.items()
        if key not in it
        and any(key in one.model_fields for one in chosen(annotation, it) or blocks_in(annotation))
    ]
    if len(lacking) == 1:
        yield (*block, lacking[0], key)
    elif len(blocks) == 1 and not lacking:
        yield (*block, next(iter(blocks)), key)
    else:
        yield (*block, ANY_NAME, key)


def _as_entry(
    annotation: Any, raw: Mapping[str, Any], block: Place, key: str, value: Any
) -> Iterator[Place]:
    """As an entry of a block by names that the block has."""
    if not isinstance(value, dict) or not value:
        return
    for one in chosen(annotation, _at(raw, block)):
        for name in one.model_fields:
            entries = entries_in(annotation_of(one, name))
            place = (*block, name, key)
            if entries is None or not list(blocks_in(entries[1])):
                continue
            known = {it for model in chosen(entries[1], value) for it in model.model_fields}
            if value.keys() <= known and fits(entries[0], key):
                yield (*block, name, ANY_NAME) if _has(raw, place) else place


def _everywhere(model: type[BaseModel], key: str, value: Any) -> Iterator[Place]:
    """Every place of the model that has the key and takes the value."""
    for place, annotation in _fields_by_name(model).get(key, ()):
        if fits(annotation, value):
            yield place


@cache
def _fields_by_name(model: type[BaseModel]) -> Mapping[str, Sequence[tuple[Place, Any]]]:
    """By the name of a field the places that have it, and what each of them wants."""
    fields: dict[str, list[tuple[Place, Any]]] = {}
    for place, annotation in _fields(model, ()):
        fields.setdefault(str(place[-1]), []).append((place, annotation))
    return fields


def _fields(annotation: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    for one in blocks_in(annotation):
        for name in one.model_fields:
            inner = annotation_of(one, name)
            yield (*place, name), inner
            entries = entries_in(inner)
            below = (*place, name) if entries is None else (*place, name, ANY_NAME)
            yield from _fields(inner if entries is None else entries[1], below)


def _annotation_at(model: type[BaseModel], raw: Mapping[str, Any], place: Place) -> Any:
    here: Any = model
    value: Any = raw
    for part in place:
        if isinstance(part, int):
            here = item_in(here)
        elif (entries := entries_in(here)) is not None:
            here = entries[1]
        else:
            found = [it for it in chosen(here, value) if part in it.model_fields]
            here = annotation_of(found[0], part) if found else None
        value = _at(value, (part,))
    return here


def _at(value: Any, place: Place) -> Any:
    """None where nothing is."""
    for part in place:
        try:
            value = value[part]
        except (LookupError, TypeError):
            return None
    return value


def _has(raw: Any, place: Place) -> bool:
    *block, key = place
    here = _at(raw, tuple(block))
    return isinstance(here, dict) and key in here


def _plain(key: str) -> str:
    """A key however it is spelt: in capitals, with hyphens, as camels."""
    return re.sub(r"[^a-z0-9]", "", key.lower())
