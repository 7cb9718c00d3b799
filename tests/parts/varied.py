"""Configs that validate, with values that nobody chose: some fields of a stack that is right are
drawn anew, and names of parts are others."""

import os
from collections.abc import Iterator, Mapping
from copy import deepcopy
from enum import Enum
from random import Random
from typing import Any, Literal, get_args, get_origin
from zlib import crc32

from pydantic import BaseModel

from catalog.bounds import Bounds
from stacks.config import ConfigError, validate
from stacks.plan import Plan
from stacks.stack import Stack
from tests.parts.combinations import put_right
from tests.parts.cover import drawn
from tests.parts.sampling import everything_is_run
from tests.programs import WITH_ALL_SECRETS
from tests.unit.config_leaves import models_in
from tests.unit.effect_stacks import BASES

# What Kubernetes, GKE or the stack itself call something by.
_NAMES = (
    *("kubernetes", "default", "kube-root-ca", "cluster", "main", "head", "a", "x1", "gpu", "cpu"),
    *("gmp-public", "jobset", "kueue", "ray", "all", "none", "true", "on", "0a", "lustre"),
)
# What is there already is no part of the sandbox's project.
_OF_OTHERS = ("existing", "stack")
_TRIES = 12
ALL, SAMPLE = 500, 20


def drawn_configs() -> Iterator[tuple[dict[str, Any], Plan]]:
    """Another sample for each commit, and 500 with ALL_COMBINATIONS=1: combinations of parts, and
    other values in stacks in which each field has an effect."""
    seed, count = os.environ.get("SAMPLE_OF", ""), ALL if everything_is_run() else SAMPLE
    combined = [it for raw in drawn(count // 2, crc32(seed.encode())) if (it := put_right(raw))]
    yield from combined
    yield from varied(seed, count - len(combined))


def varied(seed: str, count: int) -> Iterator[tuple[dict[str, Any], Plan]]:
    """The same for the same seed."""
    random = Random(seed)
    found = 0
    while found < count:
        it = _one(random)
        if it is not None:
            found += 1
            yield it


def _one(random: Random) -> tuple[dict[str, Any], Plan] | None:
    raw, wanted, found = deepcopy(random.choice([*BASES.values()])), random.randint(1, 4), None
    for _ in range(_TRIES):
        if not wanted:
            break
        tried = deepcopy(raw)
        if random.random() < 0.3:
            tried = _renamed(random, tried)
        else:
            _redrawn(random, Stack, tried)
        try:
            plan = validate(tried, secrets_set=WITH_ALL_SECRETS)
        except ConfigError:
            continue
        if tried != raw:
            raw, found, wanted = tried, plan, wanted - 1
    return None if found is None else (raw, found)


def _renamed(random: Random, raw: dict[str, Any]) -> dict[str, Any]:
    """One part, wherever it is named."""
    named = [(part, it) for part in _PARTS if isinstance(raw.get(part), dict) for it in raw[part]]
    named += [("", raw["name"])]
    _, old = random.choice(named)
    return _with_name(raw, old, random.choice(_NAMES))


_PARTS = ("pools", "buckets", "ray", "jobs", "servers", "teams")


def _with_name(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {new if key == old else key: _with_name(it, old, new) for key, it in value.items()}
    if isinstance(value, list | tuple):
        return [_with_name(it, old, new) for it in value]
    return new if value == old else value


def _redrawn(random: Random, model: type[BaseModel], raw: dict[str, Any]) -> None:
    """One field of the block, or of one within it."""
    name = random.choice([it for it in model.model_fields if it not in _OF_OTHERS])
    field = model.model_fields[name]
    inner = [it for it in models_in(field.annotation) if it.model_fields]
    there = raw.get(name)
    if not inner:
        values = [*_values(field.annotation, field.metadata)]
        if values:
            raw[name] = random.choice(values)
        else:
            raw.pop(name, None)
    elif there is None and len(inner) == 1 and get_origin(field.annotation) not in (dict, tuple):
        raw[name] = {}
        _redrawn(random, inner[0], raw[name])
    elif isinstance(there, dict):
        of_names = dict in {
            get_origin(field.annotation),
            *map(get_origin, get_args(field.annotation)),
        }
        blocks = [*there.values()] if of_names else [there]
        block = random.choice(blocks) if blocks else None
        if isinstance(block, dict):
            _redrawn(random, _model(inner, block), block)
    elif isinstance(there, list | tuple) and there and isinstance(there[0], dict):
        block = random.choice(there)
        _redrawn(random, _model(inner, block), block)


def _model(inner: list[type[BaseModel]], block: Mapping[str, Any]) -> type[BaseModel]:
    known = [it for it in inner if block.keys() <= it.model_fields.keys()]
    return (known or inner)[0]


def _values(annotation: Any, metadata: list[Any]) -> Iterator[Any]:
    for bounds in (it for it in metadata if isinstance(it, Bounds)):
        yield from (
            bounds.clamped_number(it) for it in (bounds.low, bounds.high, 0, 1, 2, 3, 7, 100)
        )
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (it.value for it in annotation)
    elif annotation is bool:
        yield from (True, False)
    elif get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif annotation is str:
        yield from _NAMES
    elif annotation is not None and (args := get_args(annotation)):
        origin = get_origin(annotation)
        if origin is dict or origin in (tuple, frozenset):
            return
        if hasattr(annotation, "__metadata__"):
            yield from _values(args[0], [*annotation.__metadata__])
            return
        for it in args:
            yield from _values(it, [])
