"""What a message offers after "nearest:" is tried before it is shown: only what is not refused at
the same field stays. No Pulumi import."""

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any, NamedTuple

import yaml

from stacks.config_errors import NEAREST, Mistake

# One value, or several to choose from, and no sentence.
_VALUE = re.compile(r'"[^"]*"|\{[^}]*\}|\[[^]]*\]|[^\s,{}"\[\]]+')
_PART = re.compile(r"[^.\[\]]+")
# What is no value of a config but says what one is.
_WORDS = frozenset({"text", "missing"})
_LEAVE_OUT = "leave it out"
_NO_SINGLE_VALUE = ("nearest: a block of keys", "nearest: a list")
_MOST_TRIED = 8
_STEPS = 3

# What is wrong with a config.
Check = Callable[[dict[str, Any]], list[Mistake]]


class Offer(NamedTuple):
    """The values that a message offers, as it writes them, and what it says after them."""

    texts: tuple[str, ...]
    rest: str


def offer_in(message: str) -> Offer | None:
    """None where a message offers something to do, and no values."""
    near = message.rpartition(NEAREST)[2] if NEAREST in message else ""
    if near == _LEAVE_OUT:
        return Offer((near,), "")
    cut = re.search(r", or |\. [A-Z]", near)
    listed = near[: cut.start()] if cut else near
    texts = tuple(_VALUE.findall(listed.removeprefix("one like ")))
    if not texts or listed in _WORDS or ", ".join(texts) != listed.removeprefix("one like "):
        return None
    return Offer(texts, near[len(listed) :])


def offered_in(message: str) -> tuple[Any, ...]:
    """The values that a message offers, None to leave the field out."""
    if message.rpartition(NEAREST)[2].startswith(_LEAVE_OUT):
        return (None,)
    offer = offer_in(message)
    return () if offer is None else tuple(value_of(it) for it in offer.texts)


def tried(mistakes: list[Mistake], raw: dict[str, Any], check: Check) -> list[Mistake]:
    return [_tried(it, raw, check) for it in mistakes]


def _tried(mistake: Mistake, raw: dict[str, Any], check: Check) -> Mistake:
    # Of a key that is wrong the suggestion is a key.
    offer = None if mistake.surplus or mistake.of_key else offer_in(mistake.message)
    if offer is None or any(_is_field(it, raw) for it in offer.texts):
        return mistake
    way_out = offer.rest.removeprefix(", or ") if offer.rest.startswith(", or ") else None
    tail = "" if way_out else offer.rest
    first, last = offer, offer.texts[0]
    for _ in range(_STEPS):
        results = {it: _refusal(mistake.path, it, raw, check) for it in offer.texts[:_MOST_TRIED]}
        if any(it and it.endswith(_NO_SINGLE_VALUE) for it in results.values()):
            # What is wrong is something within the block.
            return mistake
        if good := tuple(it for it, refusal in results.items() if refusal is None):
            if good == offer.texts and offer == first:
                return mistake
            rest = offer.rest if offer.rest.endswith(tail) else offer.rest + tail
            return mistake.suggesting(NEAREST + ", ".join(good) + rest)
        if way_out:
            return mistake.suggesting(NEAREST + way_out)
        said = next(it for it in results.values() if it is not None)
        last = offer.texts[0]
        offer = offer_in(said)
        if offer is None:
            more = said.rpartition(NEAREST)[2]
            return mistake.suggesting(f"{NEAREST}{last}, and {more}{tail}")
    return mistake.suggesting(f"{NEAREST}none alone, for {last} is refused, too{tail}")


def _is_field(text: str, raw: dict[str, Any]) -> bool:
    block, dot, _ = text.partition(".")
    return bool(dot) and block in raw


def _refusal(path: str, text: str, raw: dict[str, Any], check: Check) -> str | None:
    """What is said of the field with that value in it."""
    config = with_value(raw, path, None if text == _LEAVE_OUT else value_of(text))
    if config is None:
        return None
    return next((it.message for it in check(config) if it.path == path), None)


def value_of(text: str) -> Any:
    """As a config has it; `off` is no word for false in Pulumi's YAML."""
    return text if text in ("off", "on", "yes", "no") else yaml.safe_load(text)


def with_value(raw: dict[str, Any], path: str, value: Any) -> dict[str, Any] | None:
    """`value` None leaves the field out. None where nothing can be put at the path."""
    result = deepcopy(raw)
    parts = [int(it) if it.isdecimal() else it for it in _PART.findall(path)]
    here: Any = result
    try:
        for at, part in enumerate(parts[:-1]):
            inner = here.setdefault(part, {}) if isinstance(here, dict) else here[part]
            if isinstance(inner, str) and parts[at + 1 :] == [0]:
                # One name that stands for a list of it.
                parts = parts[: at + 1]
                break
            here = inner
        if value is not None:
            here[parts[-1]] = value
        else:
            del here[parts[-1]]
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
    return result
