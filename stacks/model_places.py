"""What a model has at a place of a config, or at one of pydantic's, which has the tags of unions in
it. No Pulumi."""

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from stacks.plain_values import Place

# The keys that tell the blocks of a union apart.
TAGS = ("mode", "type")
# How pydantic says that a key of a block is wrong, not its value.
_OF_A_KEY = "[key]"
_BRANCHES = (dict, tuple, frozenset, Literal)


class Located(NamedTuple):
    """`annotation` is what a place wants, None where no model says so; `field` where the place is
    a field of a model; `of_key` where it is about the key there, not about its value, and then
    `annotation` is what a key is."""

    place: Place
    annotation: Any
    field: FieldInfo | None = None
    of_key: bool = False


def located(model: type[BaseModel], loc: Sequence[int | str]) -> Located:
    """Where in a config a place of pydantic's is."""
    place: list[int | str] = []
    here: Any = model
    field: FieldInfo | None = None
    of_keys: Any = str
    for part in loc:
        if part == _OF_A_KEY:
            return Located(tuple(place), of_keys, field, of_key=True)
        blocks = list(blocks_in(here))
        if isinstance(part, int):
            here, field = _item(here), None
        elif entries := _entries(here):
            (of_keys, here), field = entries, None
        elif len(blocks) > 1 and (tagged := [it for it in blocks if part in tag_values(it)]):
            here = tagged[0]
            continue
        else:
            found = [it for it in blocks if part in it.model_fields]
            field = found[0].model_fields[part] if found else None
            here = annotation_of(found[0], part) if found else None
        place.append(part)
    return Located(tuple(place), here, field)


@cache
def annotation_of(model: type[BaseModel], name: str) -> Any:
    """What a field wants, with its constraints."""
    field = model.model_fields[name]
    if not field.metadata and field.discriminator is None:
        return field.annotation
    constraints = [*field.metadata]
    if field.discriminator is not None:
        constraints.append(FieldInfo(discriminator=field.discriminator))
    return Annotated[field.annotation, *constraints]


def members(annotation: Any) -> Iterator[Any]:
    """What a type is one of, without what it is annotated with."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from members(get_args(annotation)[0])
    elif annotation is None or isinstance(annotation, type) or origin in _BRANCHES:
        yield annotation
    else:
        for inner in get_args(annotation):
            yield from members(inner)


def blocks_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The blocks that may stand in a place itself."""
    for one in members(annotation):
        if isinstance(one, type) and get_origin(one) is None and issubclass(one, BaseModel):
            yield one


def entries_in(annotation: Any) -> tuple[Any, Any] | None:
    """Of a block by names of the user's, the types of names and of values."""
    return _entries(annotation)


def item_in(annotation: Any) -> Any:
    """The type of a list's items; None of what is no list."""
    return _item(annotation)


def tag_values(block: type[BaseModel]) -> set[str]:
    fields = [block.model_fields[name].annotation for name in TAGS if name in block.model_fields]
    return {str(tag) for it in fields if get_origin(it) is Literal for tag in get_args(it)}


def tag_of(blocks: Sequence[type[BaseModel]]) -> str:
    """The key that tells blocks apart."""
    return next(name for name in TAGS if all(name in it.model_fields for it in blocks))


def chosen(annotation: Any, value: Any) -> list[type[BaseModel]]:
    """The blocks that a value may be; of those that a tag tells apart the one that it names."""
    blocks = list(blocks_in(annotation))
    if len(blocks) > 1 and isinstance(value, dict):
        named = value.get(tag_of(blocks))
        return [it for it in blocks if isinstance(named, str) and named in tag_values(it)]
    return blocks


def choices_in(annotation: Any) -> list[str | int]:
    """The words, or numbers, of which a place wants one."""
    found: list[str | int] = []
    for one in members(annotation):
        if get_origin(one) is Literal:
            found += get_args(one)
        elif isinstance(one, type) and issubclass(one, Enum):
            found += [it.value for it in one]
    return found


def may_be_absent(field: FieldInfo | None) -> bool:
    return field is not None and not field.is_required()


def _entries(annotation: Any) -> tuple[Any, Any] | None:
    for one in members(annotation):
        if get_origin(one) is dict:
            key, value = get_args(one)
            return key, value
    return None


def _item(annotation: Any) -> Any:
    for one in members(annotation):
        if get_origin(one) in (tuple, frozenset):
            return get_args(one)[0]
    return None
