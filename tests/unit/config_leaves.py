"""Every field of a model by a path, and which of them two configs say differently.

The blocks that a word tells apart have it in brackets: `pools.capacity[spot].mode`. A block that
can be left out is a field, too: whether it is there. A field that takes one value alone is none.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel

_WORDS = ("mode", "type")
Place = tuple[str | int, ...]
Said = dict[Place, tuple[str, Any]]


class Leaf(NamedTuple):
    """`chooses` where with it other fields come or go."""

    path: str
    chooses: bool


def leaves(model: type[BaseModel], prefix: str = "") -> Iterator[Leaf]:
    for name, field in model.model_fields.items():
        inner = _blocks(field.annotation)
        word = name in _WORDS and _word(model) is not None
        if not inner and (word or not _only_value(field.annotation)):
            yield Leaf(prefix + name, word)
        if inner and type(None) in get_args(field.annotation):
            yield Leaf(prefix + name, True)
        for block in inner:
            yield from leaves(block, _path(prefix + name, block, inner))


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The blocks that may stand in a place, or in lists and blocks there."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    else:
        for inner in get_args(annotation):
            yield from models_in(inner)


def differing(model: type[BaseModel], one: Any, other: Any) -> set[str]:
    """Paths of the fields that two raw configs say differently."""
    before, after = _said(model, one, "", ()), _said(model, other, "", ())
    places = before.keys() | after.keys()
    pairs = [(before.get(it), after.get(it)) for it in places]
    return {said[0] for pair in pairs if pair[0] != pair[1] for said in pair if said is not None}


def _only_value(annotation: Any) -> bool:
    return get_origin(annotation) is Literal and len(get_args(annotation)) == 1


def _blocks(annotation: Any) -> list[type[BaseModel]]:
    return [it for it in models_in(annotation) if it.model_fields]


def _path(name: str, block: type[BaseModel], among: list[type[BaseModel]]) -> str:
    return f"{name}[{_word(block)}]." if len(among) > 1 else f"{name}."


def _word(block: type[BaseModel]) -> str | None:
    """What tells a block from those that may stand in its place."""
    for name in _WORDS:
        field = block.model_fields.get(name)
        if field is not None and _only_value(field.annotation):
            return str(get_args(field.annotation)[0])
    return None


def _said(model: type[BaseModel], raw: Any, prefix: str, place: Place) -> Said:
    """By its place in the config, each field that stands there, with its path and its value."""
    found: Said = {}
    for name, field in model.model_fields.items():
        if name not in raw:
            continue
        here, inner, value = (*place, name), _blocks(field.annotation), raw[name]
        if not inner:
            found[here] = (prefix + name, value)
            continue
        if type(None) in get_args(field.annotation):
            found[here] = (prefix + name, value is not None)
        for key, one in entries(field.annotation, value):
            chosen = _chosen(inner, one)
            found |= _said(chosen, one, _path(prefix + name, chosen, inner), (*here, *key))
    return found


def entries(annotation: Any, value: Any) -> Iterator[tuple[Place, Any]]:
    """What stands in a field, each with its place there: the entries of a list or of a block by
    name, or the value itself, which has none."""
    kinds = {get_origin(it) for it in (annotation, *_inside(annotation))}
    if isinstance(value, list):
        yield from (((at,), it) for at, it in enumerate(value))
    elif isinstance(value, dict) and dict in kinds:
        yield from (((key,), it) for key, it in value.items())
    elif value is not None:
        yield (), value


def _inside(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) is not Annotated else ()


def _chosen(blocks: list[type[BaseModel]], value: Any) -> type[BaseModel]:
    if len(blocks) == 1:
        return blocks[0]
    words = {_word(it): it for it in blocks}
    return next(words[it] for it in (value.get(name) for name in _WORDS) if it in words)
