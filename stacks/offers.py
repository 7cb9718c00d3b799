"""What a message offers after "nearest:": values, as a config has them, or words. No Pulumi."""

import json
import re
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Self

from catalog.strict_yaml import YamlError
from stacks.stack_file import value_of

NEAREST = "; nearest: "
LEAVE_OUT = "leave it out"
WITH_QUOTES = ", with quotes"
# One value, or several to choose from, and no sentence.
_BLOCK = r"\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\}"
_LIST = r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
_VALUE = re.compile(rf'"(?:[^"\\]|\\.)*"|{_BLOCK}|{_LIST}|[^\s,{{}}"\[\]]+')
_ONE_LIKE = "one like "
# After these words a message goes on with another way, or a sentence.
_REST = re.compile(rf"{WITH_QUOTES}|, or |\. [A-Z]")
# What says how a value looks, and is none.
_NO_VALUES = frozenset({"text", "missing"})
_PLAIN = re.compile(r"[A-Za-z0-9_./$-][\w.+/@=;$-]*(:[\w.+/@=;$-]+)*", re.ASCII)
# Pulumi takes these for text, and other readers of YAML do not.
_TEXT_IN_PULUMI = ("off", "on", "yes", "no")


class _Removal(Enum):
    """In the place of a value: the key itself goes."""

    REMOVE = "remove"


REMOVE = _Removal.REMOVE


@dataclass(frozen=True)
class Offer:
    """A value that works, and how a config writes it."""

    text: str
    value: Any = field(compare=False)

    @classmethod
    def of(cls, value: Any) -> Self:
        return cls(LEAVE_OUT if value is REMOVE else yaml_text(value), value)

    @classmethod
    def written(cls, text: str) -> Self:
        """Raises YamlError where the text is no YAML."""
        return cls(text, value_of(text))


@dataclass(frozen=True)
class Suggestion:
    """Offers to choose from; `lead` stands before them and `rest` after them. Without offers `rest`
    is something to do, and `last_resort` is shown only where no offer does."""

    offers: tuple[Offer, ...] = ()
    lead: str = ""
    rest: str = ""
    last_resort: tuple[Offer, ...] = field(default=(), compare=False)

    @classmethod
    def of_values(cls, *values: Any, lead: str = "") -> Self:
        offers = tuple(map(Offer.of, values))
        quoted = any(it.text.startswith('"') and _is_mistaken(it.value) for it in offers)
        return cls(offers, lead, WITH_QUOTES if quoted else "")

    @classmethod
    def written(cls, text: str) -> Self:
        """What the text of a message offers."""
        if text.startswith(LEAVE_OUT):
            return cls((Offer(LEAVE_OUT, REMOVE),), rest=text.removeprefix(LEAVE_OUT))
        end = _REST.search(text)
        listed = text[: end.start()] if end else text
        lead = _ONE_LIKE if listed.startswith(_ONE_LIKE) else ""
        listed = listed.removeprefix(lead)
        texts = _VALUE.findall(listed)
        if not texts or listed in _NO_VALUES or ", ".join(texts) != listed:
            return cls(rest=text)
        try:
            return cls(tuple(map(Offer.written, texts)), lead, text[len(lead) + len(listed) :])
        except YamlError:
            return cls(rest=text)

    @property
    def text(self) -> str:
        return f"{self.lead}{', '.join(it.text for it in self.offers)}{self.rest}"

    @property
    def way_out(self) -> str | None:
        """Something else to do, where the message names that, too."""
        return self.rest.removeprefix(", or ") if self.rest.startswith(", or ") else None

    def or_else(self, value: Any) -> Self:
        return replace(self, last_resort=(Offer.of(value),))

    def only(self, offers: tuple[Offer, ...], rest: str) -> Self:
        lead = self.lead if offers == self.offers else ""
        return replace(self, offers=offers, lead=lead, rest=rest)


def split(message: str) -> tuple[str, Suggestion | None]:
    """A message as its reason and what it suggests."""
    reason, separator, near = message.rpartition(NEAREST)
    return (reason, Suggestion.written(near)) if separator else (message, None)


def yaml_text(value: Any) -> str:
    """A value in one line of YAML, as these pages write it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_inner(k)}: {_inner(it)}" for k, it in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inner, value)) + "]"
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) is not None and not _is_mistaken(value)
        return value if plain else json.dumps(value, ensure_ascii=False)
    if value is None:
        return "null"
    return str(value).lower()


def _inner(value: Any) -> str:
    """A value in a list or a block, where every reader of YAML takes text with quotes for text."""
    quoted = isinstance(value, str) and value in _TEXT_IN_PULUMI
    return json.dumps(value) if quoted else yaml_text(value)


def _is_mistaken(text: str) -> bool:
    """Whether YAML takes a text for something else where it stands without quotes."""
    try:
        return value_of(text) != text
    except YamlError:
        return True
