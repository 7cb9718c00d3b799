"""Configs with one thing changed, made from the presets and other stacks by a seed: types, bounds,
other words that the field knows, keys taken out, misspelt or foreign, text that cannot be seen,
numbers without an end, lists with an entry twice, blocks of other stacks.
"""

import enum
from collections.abc import Iterator, Mapping
from copy import deepcopy
from math import inf, nan
from random import Random
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from catalog.bounds import Bounds
from sandbox.workspace import stack_names
from stacks.config_errors import models_in
from stacks.stack import Stack
from tests.conftest import changed, stack_config
from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK, ON_PLATFORM
from tests.parts.machine_samples import FALCON, IRONWOOD, NVLINK
from tests.parts.samples import AUTOPILOT, RL, SAMPLES, TPU
from tests.unit.config_leaves import Place, entries
from tests.unit.team_stack import LAB

CONFIGS: dict[str, dict[str, Any]] = {
    **{name: stack_config(name) for name in stack_names()},
    **{f"sample {name}": config for name, config in SAMPLES.items()},
    **{f"sample {it['name']}": it for it in (ON_NETWORK, IN_CLUSTER, ON_PLATFORM)},
    "teams": LAB,
    "sample hpc": FALCON,
    "sample rack": NVLINK,
    "sample ironwood": changed(TPU, **IRONWOOD),
    "sample managed": changed(RL, pools__gpu__interfaces="managed"),
    "sample class": changed(AUTOPILOT, pools__gpu__interfaces="managed"),
}

_UNSEEN = ("\x00", "\x1b[31m", "\n", "\t", "\u202e", "\u200b", "\ufeff", "\u2028", "\u00a0")
_STRANGE = (
    *("", "-", "x", "true", "../..", "$(id)", "`id`", "a b", "\u0430bc", "A" * 64, "9" * 40),
    *("*", "latest", "kube-system", "0.0.0.0/0", "10.0.0.0/33", "127.0.0.0/8", "169.254.0.0/16"),
)
_ENDLESS = (inf, -inf, nan, 10**12, -(10**12), 10**400, "9" * 900, "1e999", "Infinity")
_NO_NUMBER = (True, "many", [], {"a": 1})
_OTHER_TYPES = (0, 1.5, "text", [], [1], {}, {"a": 1}, False)


class Mutant(NamedTuple):
    """`wrong` where the value is none for its field, whatever stands in others."""

    stack: str
    what: str
    path: Place
    config: dict[str, Any]
    wrong: bool


class _Field(NamedTuple):
    path: Place
    annotation: Any
    metadata: tuple[Any, ...]


def mutants(
    seed: int, count: int, configs: Mapping[str, dict[str, Any]] = CONFIGS
) -> Iterator[Mutant]:
    random, stacks = Random(seed), list(configs)
    for number in range(count):
        stack = stacks[number % len(stacks)]
        yield _mutant(random, stack, configs[stack])


def _mutant(random: Random, stack: str, config: dict[str, Any]) -> Mutant:
    ways = (_of_field, _of_field, _of_field, _of_field, _unseen, _gone, _misspelt, _twice, _foreign)
    while True:
        result = deepcopy(config)
        made = random.choice(ways)(random, result)
        if made is not None:
            what, path, wrong = made
            return Mutant(stack, what, path, result, wrong)


_Made = tuple[str, Place, bool] | None


def _of_field(random: Random, config: dict[str, Any]) -> _Made:
    """Any field, there or not, gets a value: legal, at a bound, beyond it, or none at all."""
    field = random.choice(list(_fields(config, Stack, ())))
    bounds = _bounds(field)
    words = _words(field.annotation)
    wrong = False
    if bounds is not None:
        ends = (bounds.low - 1, bounds.low, bounds.high, bounds.high + 1, (bounds.low + 1) * 2)
        value = random.choice((*_ENDLESS, *_NO_NUMBER, *(_whole(it) for it in ends)))
        wrong = not isinstance(value, int | float | str) or value is True
        wrong = wrong or value in ("many", inf, -inf, bounds.high + 1)
    elif words:
        value = random.choice((*words, f"{words[0]}x", 7))
        wrong = value not in words
    elif next(models_in(field.annotation), None) is not None:
        value = random.choice((0, "text", True, [1], {"no_such_key": 1}, {}))
        # Some blocks are lists or go by a name.
        wrong = value in (0, "text", True)
    else:
        value = random.choice((*_STRANGE, *_OTHER_TYPES))
    _put(config, field.path, value)
    return f"{value!r:.60}", field.path, wrong


def _unseen(random: Random, config: dict[str, Any]) -> _Made:
    texts = [path for path, value in _leaves(config, ()) if isinstance(value, str)]
    path = random.choice(texts)
    text = _at(config, path)
    place, sign = random.randrange(len(text) + 1), random.choice(_UNSEEN)
    _put(config, path, text[:place] + sign + text[place:])
    return f"{sign!r} in it", path, True


def _gone(random: Random, config: dict[str, Any]) -> _Made:
    path = random.choice([path for path, _ in _all(config, ())])
    here = _at(config, path[:-1])
    del here[path[-1]]
    return "taken out", path, False


def _misspelt(random: Random, config: dict[str, Any]) -> _Made:
    path = random.choice([path for path, _ in _all(config, ()) if isinstance(path[-1], str)])
    if path[0] in ("project", "region", "zone") or "labels" in path:
        return None
    here = _at(config, path[:-1])
    name = f"{path[-1]}{random.choice('xyz_')}"
    here[name] = deepcopy(here[path[-1]])
    # Names of entries are the user's own.
    return "misspelt beside it", (*path[:-1], name), False


def _twice(random: Random, config: dict[str, Any]) -> _Made:
    lists = [(path, value) for path, value in _all(config, ()) if isinstance(value, list) and value]
    if not lists:
        return None
    path, value = random.choice(lists)
    many = random.choice((2, 2, 300))
    _put(config, path, [deepcopy(it) for it in value * many])
    return f"{many} times", path, many > 256


def _foreign(random: Random, config: dict[str, Any]) -> _Made:
    other = CONFIGS[random.choice(list(CONFIGS))]
    key = random.choice(list(other))
    config[key] = deepcopy(other[key])
    return f"another stack's {key}", (key,), False


def _fields(block: Any, model: type[BaseModel], path: Place) -> Iterator[_Field]:
    """Every field of the blocks that are there, set or not."""
    if not isinstance(block, dict):
        return
    for name, field in model.model_fields.items():
        if name == "secrets_set":
            continue
        here = (*path, name)
        yield _Field(here, field.annotation, tuple(field.metadata))
        for inner in models_in(field.annotation):
            for place, one in entries(field.annotation, block.get(name, {})):
                if _is_chosen(inner, one):
                    yield from _fields(one, inner, (*here, *place))


def _is_chosen(inner: type[BaseModel], value: Any) -> bool:
    """Whether that is what stands there, of blocks that a mode or a type tells apart."""
    if not isinstance(value, dict):
        return True
    for name in ("mode", "type"):
        field = inner.model_fields.get(name)
        if field is not None and get_origin(field.annotation) is Literal:
            return value.get(name, field.default) in get_args(field.annotation)
    return True


def _bounds(field: _Field) -> Bounds | None:
    def within(annotation: Any) -> Iterator[Bounds]:
        for one in get_args(annotation):
            if isinstance(one, Bounds):
                yield one
            elif get_origin(one) is not tuple:
                yield from within(one)

    own = [it for it in field.metadata if isinstance(it, Bounds)]
    if get_origin(field.annotation) in (tuple, dict):
        return None
    return next(iter(own), None) or next(within(field.annotation), None)


def _words(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, enum.StrEnum):
        return tuple(it.value for it in annotation)
    if annotation is bool:
        return (True, False)
    return ()


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def _all(value: Any, path: Place) -> Iterator[tuple[Place, Any]]:
    if path:
        yield path, value
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, inner in items:
        yield from _all(inner, (*path, key))


def _leaves(value: Any, path: Place) -> Iterator[tuple[Place, Any]]:
    return (it for it in _all(value, path) if not isinstance(it[1], dict | list))


def _at(config: Any, path: Place) -> Any:
    for part in path:
        config = config[part]
    return config


def _put(config: Any, path: Place, value: Any) -> None:
    for part in path[:-1]:
        config = config.setdefault(part, {}) if isinstance(config, dict) else config[part]
    config[path[-1]] = value
