"""What a message offers is tried before it is shown: only what is not refused there, or within it,
stays. No Pulumi import."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from stacks.mistakes import Mistake
from stacks.offers import REMOVE, WITH_QUOTES, Offer, Suggestion
from stacks.plain_values import Place, copied

_PART = re.compile(r"[^.\[\]]+")
_MOST_TRIED = 8
_STEPS = 3
# A block that is offered is put right so often; each round can show what more it needs.
_ROUNDS = 6

# What is wrong with a config.
Check = Callable[[dict[str, Any]], list[Mistake]]


def tried(mistakes: list[Mistake], raw: dict[str, Any], check: Check) -> list[Mistake]:
    return [_tried(it, raw, check) for it in mistakes]


def _tried(mistake: Mistake, raw: dict[str, Any], check: Check) -> Mistake:
    first = mistake.suggestion
    if first is None or not _has_values(mistake, first, raw):
        return mistake
    # That the first offers want quotes says nothing of others.
    tail = "" if first.way_out or first.rest == WITH_QUOTES else first.rest
    suggestion = first
    last = first.offers[0]
    for _ in range(_STEPS):
        good: list[Offer] = []
        refusals: list[Mistake] = []
        for offer in suggestion.offers[:_MOST_TRIED]:
            better, refused = _put_in(mistake.path, offer, raw, check)
            good += [better] if refused is None else []
            refusals += [] if refused is None else [refused]
        if good:
            shown = tuple(good)
            if shown == suggestion.offers and suggestion == first:
                return mistake
            rest = suggestion.rest if suggestion.rest.endswith(tail) else suggestion.rest + tail
            return mistake.suggesting(suggestion.only(shown, rest))
        if first.way_out:
            return mistake.suggesting(Suggestion(rest=first.way_out))
        last, said = suggestion.offers[0], refusals[0]
        if first.last_resort or said.path != mistake.path:
            break
        if said.suggestion is None or not said.suggestion.offers:
            return mistake.suggesting(_together(last, said, tail))
        suggestion = said.suggestion
    if first.last_resort:
        return _tried(mistake.suggesting(Suggestion(first.last_resort)), raw, check)
    return mistake.suggesting(Suggestion(rest=f"none alone, for {last.text} is refused, too{tail}"))


def _has_values(mistake: Mistake, suggestion: Suggestion, raw: dict[str, Any]) -> bool:
    """Whether values are suggested; of a key that is wrong it is a key."""
    of_a_key = bool(mistake.surplus) or mistake.of_key
    fields = any(_is_field(it.text, raw) for it in suggestion.offers)
    return bool(suggestion.offers) and not of_a_key and not fields


def _together(last: Offer, said: Mistake, tail: str) -> Suggestion:
    """A value with what else is to be done."""
    more = "" if said.suggestion is None else said.suggestion.text
    if last.value is REMOVE and more:
        return Suggestion(rest=more)
    return Suggestion(rest=f"{last.text}{f', and {more}' if more else ''}{tail}")


def _is_field(text: str, raw: dict[str, Any]) -> bool:
    block, dot, _ = text.partition(".")
    return bool(dot) and block in raw


def _put_in(
    path: str, offer: Offer, raw: dict[str, Any], check: Check
) -> tuple[Offer, Mistake | None]:
    """An offer, if it is a block with what else it needs, and what is said against it."""
    config = with_value(raw, path, offer.value)
    if config is None:
        return offer, None
    better, refused = offer, None
    for _ in range(_ROUNDS):
        found = [it for it in check(config) if is_within(it.path, path)]
        if not found:
            return better, None
        refused = next((it for it in found if it.path == path), found[0])
        if not isinstance(offer.value, dict | list) or refused.path == path:
            break
        before = config
        for one in found:
            if one.suggestion is not None and one.suggestion.offers and not one.of_key:
                config = with_value(config, one.path, one.suggestion.offers[0].value) or config
        if config == before or not _value_at(config, path):
            break
        better = Offer.of(_value_at(config, path))
    return offer, refused


def is_within(path: str, outer: str) -> bool:
    """Whether a field is another one, or stands in it."""
    return path.startswith(outer) and path[len(outer) : len(outer) + 1] in ("", ".", "[")


def stands(raw: Mapping[str, Any], path: str) -> bool:
    """Whether a config has anything at the path; a name may stand for a list of it."""
    value: Any = raw
    parts = place_of(raw, path)
    for at, part in enumerate(parts):
        if isinstance(value, str):
            return parts[at:] == (0,)
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def with_value(raw: dict[str, Any], path: str, value: Any) -> dict[str, Any] | None:
    """`REMOVE` leaves the field out. None where nothing can be put at the path."""
    result = copied(raw)
    parts = list(place_of(raw, path))
    here: Any = result
    try:
        for at, part in enumerate(parts[:-1]):
            inner = here.setdefault(part, {}) if isinstance(here, dict) else here[part]
            if isinstance(inner, str) and parts[at + 1 :] == [0]:
                # One name that stands for a list of it.
                parts = parts[: at + 1]
                break
            here = inner
        if value is not REMOVE:
            here[parts[-1]] = value
        else:
            del here[parts[-1]]
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
    return result


def _value_at(raw: Any, path: str) -> Any:
    for part in place_of(raw, path):
        raw = raw[part]
    return raw


def place_of(raw: Any, path: str) -> Place:
    """The parts of a path: names of the user's may have dots in them."""
    found: list[str | int] = []
    rest = path
    while rest:
        known = [it for it in raw if isinstance(it, str)] if isinstance(raw, dict) else []
        names = [it for it in known if it and is_within(rest, it)]
        part = max(names, key=len) if names else _PART.match(rest.lstrip("[."))
        if part is None:
            break
        name = part if isinstance(part, str) else part[0]
        is_item = rest.startswith("[") and name.isdecimal()
        found.append(int(name) if is_item else name)
        raw = _inner(raw, found[-1])
        rest = rest.lstrip("[.")[len(name) :].removeprefix("]").removeprefix(".")
    return tuple(found)


def _inner(value: Any, part: str | int) -> Any:
    try:
        return value[part]
    except (LookupError, TypeError):
        return None
