"""What is wrong beside the first mistakes: the rest of a config is checked with those put right as
their messages suggest, so that one report has them all. No Pulumi."""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, get_origin

from pydantic import BaseModel, ValidationError

from stacks.config_errors import Mistake, mistakes_of
from stacks.offers import offered_in, tried, with_value
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


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A model with what it is checked by. `references` are told, and put right, before `rules` are
    asked, which know no config with names that lead nowhere.

    `stand_ins` are, by the name of a block, what stands in for one that cannot be read, so that
    what names it is not said to name nothing: several, of which rules say different things.
    """

    model: type[BaseModel]
    rules: Rules = no_rules
    references: Rules = no_rules
    stand_ins: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    hide_values: bool = False

    def block(self, place: Place) -> Place:
        """The block that a field is in; of those by names of the user's the one."""
        return place[: self._depth(place)]

    @property
    def guesses(self) -> range:
        """Numbers of the ways to put things right, beside the first."""
        return range(1, max(2, *map(len, self.stand_ins.values())) if self.stand_ins else 2)

    def stand_in(self, place: Place, guess: int) -> Any:
        """None where nothing stands in."""
        known = self.stand_ins.get(str(place[0])) if len(place) == self._depth(place) else None
        return None if known is None else deepcopy(known[guess % len(known)])

    def _depth(self, place: Place) -> int:
        known = self.model.model_fields.get(str(place[0])) if place else None
        return 2 if known is not None and get_origin(known.annotation) is dict else 1


def check(
    how: Checked, raw: dict[str, Any], *, known: frozenset[str] = frozenset()
) -> tuple[BaseModel | None, list[Mistake]]:
    """The model for `raw`, or every mistake in it, with suggestions that were tried; those of the
    fields in `known` are told already."""

    def mistakes_in(config: dict[str, Any]) -> list[Mistake]:
        return _check(how, config, known)[1]

    config, mistakes = _check(how, raw, known)
    return config, tried(mistakes, raw, mistakes_in)


def _check(
    how: Checked, raw: dict[str, Any], known: frozenset[str]
) -> tuple[BaseModel | None, list[Mistake]]:
    found = [Mistake.of_flaw(one) for one in flaws(raw)]
    told = {*known, *(it.path for it in found)}
    # Blocks with a default in the place of what was asked for: rules within would speak of that.
    guessed = {how.block(_parts(path)) for path in told}
    others = [_put_right(how, raw, found, it) for it in how.guesses]
    raw = _put_right(how, raw, found)
    for _ in range(_ROUNDS):
        config, these = _mistakes(how, raw)
        if these:
            # What is said only because of a value that we put in is nothing of the user's.
            alike = set(these)
            ways = [(guess, it) for guess, it in zip(how.guesses, others, strict=True) if it != raw]
            heard = [broken for way in ways if (broken := _rules_broken(how, *way)) is not None]
            for broken in heard if heard or not ways else [set[Mistake]()]:
                alike &= broken
            found += [
                it
                for it in these
                if not any(_related(it.path, path) for path in told)
                and not (it.of_rules and (how.block(_parts(it.path)) in guessed or it not in alike))
            ]
            told |= {it.path for it in these}
            fields = [it for it in these if not it.of_rules or it.leads_nowhere]
            guessed |= {
                how.block(_parts(it.path))
                for it in fields
                if it.nearest is None and not it.surplus and not it.leads_nowhere
            }
            before = raw
            others = [
                _put_right(how, it, fields, guess)
                for guess, it in zip(how.guesses, others, strict=True)
            ]
            raw = _put_right(how, raw, fields)
            if raw == before:
                break
        else:
            return (None if found or known else config), _unique(found)
    return None, _unique(found)


def _mistakes(how: Checked, raw: dict[str, Any]) -> tuple[BaseModel | None, list[Mistake]]:
    hide_values = how.hide_values
    try:
        config = how.model.model_validate(raw)
    except ValidationError as error:
        return None, list(mistakes_of(error, how.model, hide_values=hide_values))
    nowhere = [
        Mistake.of_rule(it, hide_values=hide_values, leads_nowhere=True)
        for it in how.references(config)
    ]
    if nowhere:
        return config, nowhere
    return config, [Mistake.of_rule(it, hide_values=hide_values) for it in how.rules(config)]


def _rules_broken(how: Checked, guess: int, raw: dict[str, Any]) -> set[Mistake] | None:
    """What references and rules say of a guess, once it is put right as far as they need it; None
    of one that never gets so far, and knows nothing."""
    said: set[Mistake] = set()
    for _ in range(_ROUNDS):
        found = _mistakes(how, raw)[1]
        said |= {it for it in found if it.of_rules}
        fields = [it for it in found if not it.of_rules or it.leads_nowhere]
        if not fields:
            return said
        before = raw
        raw = _put_right(how, raw, fields, guess)
        if raw == before:
            break
    return None


def _put_right(
    how: Checked, raw: dict[str, Any], mistakes: list[Mistake], guess: int = 0
) -> dict[str, Any]:
    """What is suggested stands in the place of what is wrong; in a later `guess` something else."""
    result = deepcopy(raw)
    gone: list[Place] = []
    for one in mistakes:
        place = _place_in(raw, one.place)
        if one.leads_nowhere:
            continue
        if one.surplus:
            gone += [(*place, key) for key in one.surplus]
        elif guess and not one.farthest and how.stand_in(how.block(place), guess) is not None:
            # No other value is known to be one, so that the whole block is another.
            gone.append(how.block(place))
        elif one.nearest is not None and place:
            _set(result, place, one.farthest or one.nearest if guess else one.nearest)
        elif one.missing:
            # A block without what it needs; the config itself cannot go.
            gone += [_place_in(raw, one.place[:-1])] if len(one.place) > 1 else []
        else:
            gone.append(place)
    # The last of a list first, so that the places of the others stay.
    for one in reversed(mistakes):
        if one.leads_nowhere:
            result = _led_right(how, result, one, guess)
    return _without(result, gone, {it: how.stand_in(it, guess) for it in gone})


def _led_right(how: Checked, raw: dict[str, Any], mistake: Mistake, guess: int) -> dict[str, Any]:
    """With what the message offers in the place of a name that leads nowhere, else without the
    block that it is in."""
    values = offered_in(mistake.message)
    if values:
        better = with_value(raw, mistake.path, values[-1 if guess else 0])
        if better is not None:
            return better
    place = _place_in(raw, how.block(_parts(mistake.path)))
    return _without(raw, [place], {place: how.stand_in(place, guess)})


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


def _without(
    raw: dict[str, Any], places: list[Place], instead: Mapping[Place, Any]
) -> dict[str, Any]:
    """`instead` has what comes in the place of what goes, or None."""
    result = deepcopy(raw)
    # The last of a list first, so that the places of the others stay.
    for place in sorted(set(places), key=_order, reverse=True):
        here: Any = result
        for part in place[:-1]:
            here = here[part] if _has(here, part) else {}
        if not place or not _has(here, place[-1]) or isinstance(here, tuple):
            continue
        if instead[place] is None:
            del here[place[-1]]
        else:
            here[place[-1]] = instead[place]
    return result


def _order(place: Place) -> list[tuple[int, str]]:
    return [(part, "") if isinstance(part, int) else (-1, str(part)) for part in place]


def _has(here: Any, part: str | int) -> bool:
    if isinstance(here, dict):
        return part in here
    return isinstance(here, list | tuple) and isinstance(part, int) and part < len(here)


def _parts(path: str) -> Place:
    return tuple(part.partition("[")[0] for part in path.split("."))


def _related(one: str, other: str) -> bool:
    """Whether they are the same field, or one is in the other."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and long[len(short) : len(short) + 1] in ("", ".", "[")


def _unique(found: list[Mistake]) -> list[Mistake]:
    return list(dict.fromkeys(found))
