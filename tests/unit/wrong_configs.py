"""Every preset with every optional block that fits, and each of its keys and values turned wrong in
turn: other types, bounds and what lies beyond them, other words, numbers without an end, text that
is not what it looks like, keys that are misspelt or stand one level too high or too low, blocks of
other stacks. What no preset can have comes from the stacks of other tests.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from math import inf, nan
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter, ValidationError

from cli.project import stack_names
from stacks.model_places import annotation_of, choices_in, chosen, entries_in, item_in
from stacks.stack import Stack
from stacks.wanted import bounds_in
from tests.conftest import changed, stack_config
from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK, ON_PLATFORM
from tests.parts.machine_samples import FALCON, IRONWOOD, NVLINK
from tests.parts.samples import AUTOPILOT, RL, SAMPLES, TPU
from tests.programs import WITH_ALL_SECRETS, lines_of
from tests.unit.effect_changes import CHANGES
from tests.unit.effect_stacks import BASES

Place = tuple[str | int, ...]
_PLACES = ("project", "region", "zone")
# What a value may be that is none for its field.
_VALUES: dict[str, Any] = {
    "null": None,
    "true": True,
    "false": False,
    "0": 0,
    "1": 1,
    "-1": -1,
    "1.5": 1.5,
    "1.35": 1.35,
    "nan": nan,
    "inf": inf,
    "-inf": -inf,
    "10^12": 10**12,
    "-10^12": -(10**12),
    "10^400": 10**400,
    "empty text": "",
    "a blank": " ",
    "a word": "word",
    "digits": "7",
    "a number as text": "1.5",
    "900 digits": "9" * 900,
    "1e999": "1e999",
    "Infinity": "Infinity",
    "true as text": "true",
    "no": "no",
    "no list": [],
    "a list of a word": ["word"],
    "a list of a number": [1],
    "a list of null": [None],
    "a list in a list": [["word"]],
    "no block": {},
    "a block": {"a": "b"},
    "a block in a block": {"a": {"b": 1}},
    "a Cyrillic a": "\u0430bc",
    "no width": "wo\u200brd",
    "right to left": "\u202eword",
    "a null character": "wo\x00rd",
    "an escape": "\x1b[31mword",
    "a line break": "wo\nrd",
    "$(id)": "$(id)",
    "; rm": "x; rm -rf /",
    "../..": "../..",
    "{{": "{{ .Values.x }}",
    "a quote": 'it\'s "so"',
    "a comma": "a, b",
    "64 letters": "a" * 64,
    "5000 letters": "a" * 5000,
}


class Spot(NamedTuple):
    """A value of a config: where it is, where in the model, and what the model wants there."""

    path: Place
    kind: str
    annotation: Any
    value: Any


class Mutant(NamedTuple):
    """`wrong` where no value of other fields makes right what stands at `path`; `before` is what
    stood there."""

    stack: str
    what: str
    path: Place
    config: dict[str, Any]
    wrong: bool
    before: Any = None


def spots(value: Any, annotation: Any, path: Place = (), kind: str = "") -> Iterator[Spot]:
    """Every value within a value, with itself first."""
    if path:
        yield Spot(path, kind, annotation, value)
    for key, name, inner in _keys_of(value, annotation):
        if isinstance(value, list) or key in value:
            yield from spots(_at(value, (key,)), inner, (*path, key), f"{kind}{name}")


def _keys_of(value: Any, annotation: Any) -> Iterator[tuple[str | int, str, Any]]:
    """The keys that a value has or may have, with their place in the model and their types."""
    entries, item = entries_in(annotation), item_in(annotation)
    if isinstance(value, list) and item is not None:
        yield from ((at, "[]", item) for at in range(len(value)))
    elif isinstance(value, dict) and entries is not None:
        yield from ((key, ".NAME", entries[1]) for key in value)
    elif isinstance(value, dict):
        for block in chosen(annotation, value)[:1]:
            yield from ((it, f".{it}", annotation_of(block, it)) for it in block.model_fields)


STACKS: dict[str, dict[str, Any]] = {
    **{name: stack_config(name) for name in stack_names()},
    # What no preset has.
    **{f"base {name}": config for name, config in BASES.items()},
    **{f"sample {name}": config for name, config in SAMPLES.items()},
    "existing network": ON_NETWORK,
    "existing cluster": IN_CLUSTER,
    "platform": ON_PLATFORM,
    "hpc": FALCON,
    "rack": NVLINK,
    "ironwood": changed(TPU, **IRONWOOD),
    "managed interfaces": changed(RL, pools__gpu__interfaces="managed"),
    "class with interfaces": changed(AUTOPILOT, pools__gpu__interfaces="managed"),
}


@cache
def samples() -> dict[str, list[Any]]:
    """Values of each field, by its place in the model, from every stack that tests know."""
    configs = [*STACKS.values()]
    configs += [changed(BASES[base], **change) for base, change in CHANGES]
    found: dict[str, list[Any]] = {}
    for config in configs:
        for spot in spots(config, Stack):
            values = found.setdefault(spot.kind, [])
            if spot.value not in values and spot.value is not None:
                values.append(spot.value)
    return found


@cache
def filled(stack: str) -> dict[str, Any]:
    """A stack with a value in every field, of those that do not make it wrong."""
    config = STACKS[stack]
    if stack not in stack_names():
        return config
    tried: set[Place] = set()
    while True:
        absent = [it for it in _absent(config, Stack, (), "") if it[0] not in tried]
        if not absent:
            return config
        path, kind = absent[0]
        tried.add(path)
        for value in samples().get(kind, [])[:8]:
            fuller = with_value(config, path, value)
            if not lines_of(fuller, WITH_ALL_SECRETS):
                config = fuller
                break


def _absent(value: Any, annotation: Any, path: Place, kind: str) -> Iterator[tuple[Place, str]]:
    for key, name, inner in _keys_of(value, annotation):
        if isinstance(value, list) or key in value:
            yield from _absent(_at(value, (key,)), inner, (*path, key), f"{kind}{name}")
        elif key != "secrets_set":
            yield (*path, key), f"{kind}{name}"


def mutants(stack: str) -> Iterator[Mutant]:
    config = filled(stack)
    kinds = {spot.path: spot for spot in spots(config, Stack)}
    for spot in kinds.values():
        for what, value in _values(spot):
            mutant = with_value(config, spot.path, value)
            wrong = not _fits(spot.annotation, value) and not _is_place(spot.path)
            said = f"{spot.kind} = {what}"
            yield Mutant(stack, said, spot.path, mutant, wrong, spot.value)
        if isinstance(spot.path[-1], str) and not _is_place(spot.path):
            for what, place, mutant, wrong in _keys(config, spot, kinds):
                yield Mutant(stack, f"{spot.kind} {what}", place, mutant, wrong)
    for key in Stack.model_fields:
        for at, value in enumerate(samples().get(f".{key}", [])[:3]):
            if not _is_place((key,)) and config.get(key) != value:
                mutant = with_value(config, (key,), value)
                yield Mutant(stack, f".{key} of another stack, {at}", (key,), mutant, wrong=False)


@cache
def corpus() -> tuple[Mutant, ...]:
    """Each kind of value with each way to be wrong once, from the first stack that has it."""
    found: dict[str, Mutant] = {}
    for stack in STACKS:
        for mutant in mutants(stack):
            found.setdefault(mutant.what, mutant)
    return tuple(found.values())


def _is_place(path: Place) -> bool:
    return path[0] in _PLACES


def _values(spot: Spot) -> Iterator[tuple[str, Any]]:
    own = spot.value
    everything = {
        **_VALUES,
        "in a list": [deepcopy(own)],
        "in a block": {"value": deepcopy(own)},
    }
    if not isinstance(own, dict | list):
        text = "true" if own is True else "false" if own is False else str(own)
        everything |= {
            "its text": text,
            "with a letter more": f"{text}x",
            "with no width at its end": f"{text}\u200b",
            "with a blank at its end": f"{text} ",
        }
    if isinstance(own, list) and own:
        everything |= {"its first": own[0], "300 of it": [*own] * 300, "twice": [*own, own[0]]}
    if isinstance(own, dict) and own:
        everything |= {"the value of its first key": next(iter(own.values()))}
    if bounds := bounds_in(spot.annotation):
        ends = {"low": bounds.low, "high": bounds.high}
        ends |= {"below": bounds.low - 1, "above": bounds.high + 1}
        everything |= {what: _whole(value) for what, value in ends.items()}
    for word in choices_in(spot.annotation):
        everything |= {f"the word {word}": word, f"the word {word} with a letter more": f"{word}x"}
    for what, value in everything.items():
        if repr(value) != repr(own):
            yield what, deepcopy(value)


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def _fits(annotation: Any, value: Any) -> bool:
    try:
        adapter(annotation).validate_python(value)
    except ValidationError:
        return False
    return True


_ADAPTERS: dict[int, tuple[Any, TypeAdapter[Any]]] = {}


def adapter(annotation: Any) -> TypeAdapter[Any]:
    known = _ADAPTERS.get(id(annotation))
    if known is None or known[0] is not annotation:
        known = _ADAPTERS[id(annotation)] = (annotation, TypeAdapter(annotation))
    return known[1]


_Key = tuple[str, Place, dict[str, Any], bool]


def _keys(config: dict[str, Any], spot: Spot, kinds: dict[Place, Spot]) -> Iterator[_Key]:
    """Mutants in which a key is wrong: gone, misspelt, foreign, a level too high or too low."""
    *above, key = spot.path
    block = tuple(above)
    assert isinstance(key, str)
    if spot.kind.endswith(".NAME"):
        return
    without = with_value(config, spot.path, None, gone=True)
    yield "gone", spot.path, without, _is_required(kinds, block, config, key)
    for what, name in _misspelt(key):
        if name not in _at(config, block):
            place = (*block, name)
            wrong = not _fits_at(kinds, block, config, name, spot.value)
            yield f"misspelt {what}", place, with_value(without, place, spot.value), wrong
    for name in ("xyz", "no_such_key"):
        yield f"{name} beside it", (*block, name), with_value(config, (*block, name), 1), True
    if block and isinstance(block[-1], str) and key not in _at(config, block[:-1]):
        place = (*block[:-1], key)
        wrong = not _fits_at(kinds, block[:-1], config, key, spot.value)
        yield "one level up", place, with_value(without, place, spot.value), wrong
    for name, inner in _at(config, block).items():
        if isinstance(inner, dict) and name != key and key not in inner:
            place = (*block, name, key)
            wrong = not _fits_at(kinds, place[:-1], config, key, spot.value)
            yield f"one level down in {name}", place, with_value(without, place, spot.value), wrong
            break


def _misspelt(key: str) -> Iterator[tuple[str, str]]:
    ways = {
        "with a letter more": f"{key}x",
        "without its last letter": key[:-1],
        "in capitals": key.upper(),
        "with hyphens": key.replace("_", "-"),
        "as camels": re.sub(r"_(\w)", lambda found: found[1].upper(), key),
        "with a blank": f"{key} ",
    }
    yield from ((what, name) for what, name in ways.items() if name not in (key, ""))


def _models_at(
    kinds: dict[Place, Spot], block: Place, config: dict[str, Any]
) -> list[type[BaseModel]]:
    return chosen(kinds[block].annotation if block else Stack, _at(config, block))


def _is_required(kinds: dict[Place, Spot], block: Place, config: dict[str, Any], key: str) -> bool:
    return any(it.model_fields[key].is_required() for it in _models_at(kinds, block, config))


def _fits_at(
    kinds: dict[Place, Spot], block: Place, config: dict[str, Any], key: str, value: Any
) -> bool:
    """Whether a block may have a key with that value."""
    if models := _models_at(kinds, block, config):
        having = [it for it in models if key in it.model_fields]
        return any(_fits(annotation_of(it, key), value) for it in having)
    return _fits(kinds[block].annotation, {key: value})


def _at(config: Any, path: Place) -> Any:
    for part in path:
        config = config[part]
    return config


def with_value(
    config: dict[str, Any], path: Place, value: Any, *, gone: bool = False
) -> dict[str, Any]:
    """A copy, of which only what is changed is new."""
    first, *rest = path
    result: Any = list(config) if isinstance(config, list) else dict(config)
    if rest:
        result[first] = with_value(result[first], tuple(rest), value, gone=gone)
    elif gone:
        del result[first]
    else:
        result[first] = value
    return result
