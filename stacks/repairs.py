"""What is wrong beside the first mistakes: the rest of a config is checked with those put right as
their messages suggest, so that one report has them all. No Pulumi."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from pydantic import BaseModel, ValidationError

from stacks.config_errors import Mistake, mistakes_of
from stacks.offers import tried
from stacks.plain_values import Place, flaws
from stacks.problems import Problem

# Putting one thing right can show the next; what takes more rounds is told in the next report.
_ROUNDS = 6

# What is wrong between the fields of a config that are right each.
Rules = Callable[[Any], Iterable[Problem]]


def no_rules(config: Any) -> tuple[Problem, ...]:
    """Of a model that has its rules in itself."""
    del config
    return ()


def check(
    model: type[BaseModel],
    raw: dict[str, Any],
    rules: Rules = no_rules,
    *,
    known: frozenset[str] = frozenset(),
    hide_values: bool = False,
) -> tuple[BaseModel | None, list[Mistake]]:
    """The model for `raw`, or every mistake in it, with suggestions that were tried; those of the
    fields in `known` are told already."""

    def mistakes_in(config: dict[str, Any]) -> list[Mistake]:
        return _check(model, rules, config, known, hide_values)[1]

    config, mistakes = _check(model, rules, raw, known, hide_values)
    return config, tried(mistakes, raw, mistakes_in)


def _check(
    model: type[BaseModel],
    rules: Rules,
    raw: dict[str, Any],
    known: frozenset[str],
    hide_values: bool,
) -> tuple[BaseModel | None, list[Mistake]]:
    found = [Mistake.of_flaw(one) for one in flaws(raw)]
    told = {*known, *(it.path for it in found)}
    # Blocks with a default in the place of what was asked for: rules within would speak of that.
    guessed = {_block(path) for path in told}
    raw = other = _put_right(raw, found)
    for _ in range(_ROUNDS):
        config, these = _mistakes(model, rules, raw, hide_values)
        if these:
            # What is said only because of a value that we put in is nothing of the user's.
            alike = set(these) if other == raw else _rules_broken(model, rules, other, hide_values)
            found += [
                it
                for it in these
                if not any(_related(it.path, path) for path in told)
                and not (it.of_rules and (_block(it.path) in guessed or it not in alike))
            ]
            told |= {it.path for it in these}
            fields = [it for it in these if not it.of_rules]
            guessed |= {_block(it.path) for it in fields if it.nearest is None and not it.surplus}
            before = raw
            raw, other = _put_right(raw, fields), _put_right(other, fields, far=True)
            if raw == before:
                break
        else:
            return (None if found or known else config), _unique(found)
    return None, _unique(found)


def _mistakes(
    model: type[BaseModel], rules: Rules, raw: dict[str, Any], hide_values: bool
) -> tuple[BaseModel | None, list[Mistake]]:
    try:
        config = model.model_validate(raw)
    except ValidationError as error:
        return None, list(mistakes_of(error, model, hide_values=hide_values))
    broken = [Mistake.of_rule(it, hide_values=hide_values) for it in rules(config)]
    return config, broken


def _rules_broken(
    model: type[BaseModel], rules: Rules, raw: dict[str, Any], hide_values: bool
) -> set[Mistake]:
    return {it for it in _mistakes(model, rules, raw, hide_values)[1] if it.of_rules}


def _put_right(
    raw: dict[str, Any], mistakes: list[Mistake], *, far: bool = False
) -> dict[str, Any]:
    result = deepcopy(raw)
    gone: list[Place] = []
    for one in mistakes:
        place = _place_in(raw, one.place)
        if one.surplus:
            gone += [(*place, key) for key in one.surplus]
        elif one.nearest is not None and place:
            _set(result, place, one.farthest or one.nearest if far else one.nearest)
        elif one.missing:
            # A block without what it needs; the config itself cannot go.
            gone += [_place_in(raw, one.place[:-1])] if len(one.place) > 1 else []
        else:
            gone.append(place)
    return _without(result, gone)


def _place_in(raw: Any, place: Place) -> Place:
    """Where a mistake is in the config itself: without the tags that pydantic puts in."""
    found: list[str | int] = []
    here = raw
    for part in place:
        if _has(here, part):
            here = here[part]
            found.append(part)
    return tuple(found)


def _set(raw: dict[str, Any], place: Place, value: Any) -> None:
    here: Any = raw
    for part in place[:-1]:
        here = here[part]
    if not isinstance(here, tuple):
        here[place[-1]] = value


def _without(raw: dict[str, Any], places: list[Place]) -> dict[str, Any]:
    result = deepcopy(raw)
    # The last of a list first, so that the places of the others stay.
    for place in sorted(set(places), key=_order, reverse=True):
        here: Any = result
        for part in place[:-1]:
            here = here[part] if _has(here, part) else {}
        if place and _has(here, place[-1]) and not isinstance(here, tuple):
            del here[place[-1]]
    return result


def _order(place: Place) -> list[tuple[int, str]]:
    return [(part, "") if isinstance(part, int) else (-1, str(part)) for part in place]


def _has(here: Any, part: str | int) -> bool:
    if isinstance(here, dict):
        return part in here
    return isinstance(here, list | tuple) and isinstance(part, int) and part < len(here)


def _block(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _related(one: str, other: str) -> bool:
    """Whether they are the same field, or one is in the other."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and long[len(short) : len(short) + 1] in ("", ".", "[")


def _unique(found: list[Mistake]) -> list[Mistake]:
    return list(dict.fromkeys(found))
