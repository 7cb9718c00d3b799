"""What is wrong beside the first mistakes: the rest of a config is checked with those put right as
their messages suggest, so that one report has them all. No Pulumi."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_origin

from pydantic import BaseModel, ValidationError

from stacks.config_errors import mistakes_of
from stacks.key_places import ANY_NAME
from stacks.mistakes import Mistake, written
from stacks.offers import LEAVE_OUT, REMOVE, Suggestion
from stacks.plain_values import Place, copied, flaws
from stacks.problems import Problem
from stacks.tried import is_within, tried, with_value

# Putting one thing right can show the next; what takes more rounds is told in the next report.
_ROUNDS = 6

# What is wrong between the fields of a config that are right each.
Rules = Callable[[Any], Iterable[Problem]]


def no_rules(config: Any) -> tuple[Problem, ...]:
    """Of a model that has its rules in itself."""
    del config
    return ()


# Of which other parts the amounts are that a part's rules compare with.
_RESTS_ON: Mapping[str, frozenset[str]] = {
    "jobs": frozenset({"pools", "queues", "ray"}),
    "pools": frozenset({"catalog"}),
    "queues.cluster_queues": frozenset({"jobs", "pools", "ray", "servers"}),
    "teams": frozenset({"pools", "queues"}),
}


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A model with what it is checked by. `references` are told, and put right, before `rules` are
    asked, which know no config with names that lead nowhere.

    `stand_ins` are, by the name of a block, what stands in for one that cannot be read, so that
    what names it is not said to name nothing: several, of which rules say different things. Where
    all blocks by names of the user's cannot be read, `entries` are the names that stand in.
    """

    model: type[BaseModel]
    rules: Rules = no_rules
    references: Rules = no_rules
    stand_ins: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    entries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
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
        known = self.stand_ins.get(str(place[0])) if place else None
        if known is None or len(place) > self._depth(place):
            return None
        one = known[guess % len(known)]
        if len(place) == self._depth(place):
            return copied(one)
        names = self.entries.get(str(place[0]))
        return None if names is None else {name: copied(one) for name in names}

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
    # What names an entry by a name that it may not have is not told beside that.
    renamed = {name for it in found if it.of_key for name in it.surplus}
    renames = _renames(found)
    put_in = {it.path for it in found if it.nearest is not None}
    # Of blocks with a key that is none: it may be meant for what is missing there.
    strange: set[str] = set()
    # Parts of which some value is none: what rests on them is told once they can be read.
    unread = {_part(it.path) for it in found}
    for _ in range(_ROUNDS):
        config, these = _mistakes(how, raw)
        unread |= {_part(it.path) for it in these if not it.of_rules}
        strange |= {written(it.place) for it in these if it.surplus and it.place}
        nowhere = {it.path for it in these if _takes_none(it)} & set(map(_elsewhere, found))
        if ours := [
            it for it in these if it.of_rules and (_is_about(it, put_in) or it.path in nowhere)
        ]:
            # A value that we put in is refused, and what else is said may be an echo of that.
            raw = _corrected(raw, ours)
            found = [_without_place(it, nowhere) for it in found]
            put_in -= {path for path in put_in for it in ours if is_within(it.path, path)}
        elif these:
            # What is said only because of a value that we put in is nothing of the user's.
            alike = set(these)
            ways = [(guess, it) for guess, it in zip(how.guesses, others, strict=True) if it != raw]
            heard = [broken for way in ways if (broken := _rules_broken(how, *way)) is not None]
            for broken in heard if heard or not ways else [set[Mistake]()]:
                alike &= broken
            found += [
                said
                for it in these
                if not any(_related(it.path, path) for path in told)
                and (said := _as_written(it, renames)).path not in told
                # What stands under a name that is none is not told before the name is one.
                and it.path not in renames
                and not (it.missing and any(is_within(it.path, block) for block in strange))
                and not (it.of_rules and (how.block(_parts(it.path)) in guessed or it not in alike))
                and not (it.of_rules and any(f'"{name}"' in it.reason for name in renamed))
                and (not it.of_rules or it.leads_nowhere or not unread & _rests_on(it.path))
            ]
            told |= {it.path for it in these}
            renamed |= {name for it in these if it.of_key for name in it.surplus}
            renames |= _renames(these)
            fields = [it for it in these if not it.of_rules or it.leads_nowhere]
            guessed |= {
                how.block(_parts(it.path))
                for it in fields
                if it.nearest is None and not it.surplus and not it.leads_nowhere
            }
            put_in |= {it.path for it in fields if it.nearest is not None}
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


def _rests_on(path: str) -> frozenset[str]:
    """The parts that a mistake of a rule at this path may be an echo of."""
    found = (parts for within, parts in _RESTS_ON.items() if is_within(path, within))
    return frozenset[str]().union(*found)


def _part(path: str) -> str:
    return str(next(iter(_parts(path)), ""))


def _renames(mistakes: list[Mistake]) -> dict[str, str]:
    """Entries under the names that we gave them, and as the user has them."""
    return {written(it.moved): it.path for it in mistakes if it.of_key and it.moved is not None}


def _as_written(mistake: Mistake, renames: Mapping[str, str]) -> Mistake:
    for ours, users in renames.items():
        if is_within(mistake.path, ours):
            return replace(mistake, path=users + mistake.path[len(ours) :])
    return mistake


def _is_about(mistake: Mistake, paths: set[str]) -> bool:
    """Whether a mistake is in one of those places, and offers another value for it."""
    offers = mistake.suggestion is not None and mistake.suggestion.offers
    return bool(offers) and any(is_within(mistake.path, it) for it in paths)


def _elsewhere(mistake: Mistake) -> str | None:
    """The field of another block that a key is offered, and was put at."""
    if mistake.of_key or mistake.moved is None or mistake.moved[:-1] == mistake.place:
        return None
    return written(mistake.moved)


def _takes_none(mistake: Mistake) -> bool:
    """Whether rules want no value at all there."""
    offers = mistake.suggestion.offers if mistake.suggestion is not None else ()
    return mistake.of_rules and bool(offers) and offers[0].value is REMOVE


def _without_place(mistake: Mistake, places: set[str]) -> Mistake:
    """The same without the field that it offers first, where that is one of `places`."""
    if mistake.suggestion is None or _elsewhere(mistake) not in places:
        return mistake
    others = mistake.suggestion.text.partition(", ")[2]
    return replace(mistake, suggestion=Suggestion(rest=others or LEAVE_OUT), moved=None)


def _corrected(raw: dict[str, Any], mistakes: list[Mistake]) -> dict[str, Any]:
    for one in mistakes:
        if one.suggestion is not None:
            raw = with_value(raw, one.path, one.suggestion.offers[0].value) or raw
    return raw


def _mistakes(how: Checked, raw: dict[str, Any]) -> tuple[BaseModel | None, list[Mistake]]:
    hide_values = how.hide_values
    try:
        config = how.model.model_validate(raw)
    except ValidationError as error:
        return None, list(mistakes_of(error, how.model, raw, hide_values=hide_values))
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
    result = copied(raw)
    gone: list[Place] = []
    unmissed: set[Place] = set()
    for one in mistakes:
        place = _place_in(raw, one.place)
        if one.leads_nowhere:
            continue
        if one.surplus:
            gone += [(*place, key) for key in one.surplus]
            # What stands in a place that is not its own is missed by nobody there.
            unmissed |= set() if one.of_key else {(*place, key) for key in one.surplus}
            result = _with_moved(result, place, one, guess)
        elif guess and _is_unsure(one) and how.stand_in(how.block(place), guess) is not None:
            # No other value is known to be one, so that the whole block is another.
            gone.append(how.block(place))
        elif (value := _value_for(one, raw, guess)) is not None:
            _set(result, one.place, value)
        else:
            gone += _what_goes(one, raw, place)
    # The last of a list first, so that the places of the others stay.
    for one in reversed(mistakes):
        if one.leads_nowhere:
            result = _led_right(how, result, one, guess)
    instead = {it: None if it in unmissed else how.stand_in(it, guess) for it in gone}
    return _without(result, gone, instead)


def _value_for(mistake: Mistake, raw: dict[str, Any], guess: int) -> Any:
    """What comes in the place of what is wrong; None where nothing is known to do."""
    if not _has_block(raw, mistake.place):
        return None
    if guess and mistake.alternatives:
        return mistake.alternatives[(guess - 1) % len(mistake.alternatives)]
    return mistake.farthest if guess and mistake.farthest is not None else mistake.nearest


def _is_unsure(mistake: Mistake) -> bool:
    return mistake.example or mistake.farthest is None


def _has_block(raw: Any, place: Place) -> bool:
    """Whether the block is there that a place is in."""
    if not place:
        return False
    *block, key = place
    for part in block:
        raw = raw[part] if _has(raw, part) else None
    return isinstance(raw, dict) or (isinstance(raw, list) and _has(raw, key))


def _led_right(how: Checked, raw: dict[str, Any], mistake: Mistake, guess: int) -> dict[str, Any]:
    """With what the message offers in the place of a name that leads nowhere, else without the
    block that it is in."""
    if mistake.suggestion is not None and mistake.suggestion.offers:
        offer = mistake.suggestion.offers[-1 if guess else 0]
        better = with_value(raw, mistake.path, offer.value)
        if better is not None:
            return better
    place = _place_in(raw, how.block(_parts(mistake.path)))
    return _without(raw, [place], {place: how.stand_in(place, guess)})


def _moved(raw: dict[str, Any], place: Place, target: Place, value: Any) -> dict[str, Any]:
    """With what stands at a place, or another value, where it belongs, too, unless something is
    there."""
    *block, key = target
    here: Any = raw
    for part in place:
        if not _has(here, part):
            return raw
        here = here[part]
    result = copied(raw)
    into: Any = result
    for part in block:
        if isinstance(into, dict):
            into = into.setdefault(part, {})
        else:
            into = into[part] if _has(into, part) else None
    if not isinstance(into, dict) or key in into:
        return raw
    into[key] = copied(here) if value is None else value
    return result


def _what_goes(mistake: Mistake, raw: dict[str, Any], place: Place) -> list[Place]:
    if not mistake.missing:
        return [place]
    # A block without what it needs; the config itself cannot go.
    return [_place_in(raw, mistake.place[:-1])] if len(mistake.place) > 1 else []


def _with_moved(raw: dict[str, Any], place: Place, mistake: Mistake, guess: int) -> dict[str, Any]:
    """With a key where it belongs, too."""
    here = (*place, mistake.surplus[0])
    if guess and mistake.anywhere is not None:
        return _moved_anywhere(raw, here, mistake.anywhere)
    if mistake.moved is not None:
        places = (mistake.moved, *mistake.or_moved)
        return _moved(raw, here, places[guess % len(places)], mistake.moved_value)
    return raw


def _moved_anywhere(raw: dict[str, Any], place: Place, target: Place) -> dict[str, Any]:
    """With what stands at a place in each entry of the block by names that it may belong to."""
    at = target.index(ANY_NAME)
    block: Any = raw
    for part in target[:at]:
        block = block[part] if _has(block, part) else {}
    for name in list(block) if isinstance(block, dict) else ():
        if ANY_NAME not in target[at + 1 :]:
            raw = _moved(raw, place, (*target[:at], name, *target[at + 1 :]), None)
    return raw


def _place_in(raw: Any, place: Place) -> Place:
    """The part of a place that a config has."""
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
    result = copied(raw)
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
