"""Reading the YAML tables under `catalog/data/`, and the one error of what is not in them."""

import datetime
import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .strict_yaml import read_yaml

DATA = Path(__file__).parent / "data"


class Fact(BaseModel):
    """Base of every catalog model: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Table(Fact):
    """A whole table: where its facts come from, and their day.

    `date` is the day that the facts are of, as far as their source has one; else, and in `read`
    where both are known, the day on which they were looked up.
    """

    source: str = Field(min_length=1)
    date: datetime.date
    read: datetime.date | None = None

    @model_validator(mode="after")
    def _of_the_past(self) -> Self:
        check_days(self.date, self.read)
        return self


def check_days(of: datetime.date | None, read: datetime.date | None) -> None:
    """Raises ValueError where a figure would be newer than its reading, or has no day at all."""
    if of is None and read is None:
        raise ValueError("neither date nor read is given")
    if of is not None and read is not None and read < of:
        raise ValueError(f"read {read} is before the figures' own date {of}")


FactType = TypeVar("FactType", bound=Fact)
TableType = TypeVar("TableType", bound=Table)


@cache
def load_table(kind: type[TableType], name: str) -> TableType:
    """The table `data/<name>.yaml`, read and validated once a process."""
    return parse(kind, DATA / f"{name}.yaml")


def parse(kind: type[FactType], file: Path) -> FactType:
    return kind.model_validate(read_yaml(file))


_HINTS = 3
_NOTHING = "nothing like it"


class FactError(ValueError):
    """A value that contradicts the catalog; the message is one line: value, why, nearest."""


def nearest_names(value: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """Up to three names like `value`, best first, joined by commas; else `otherwise`, or that
    nothing is near."""
    found = get_close_matches(value, list(known), n=_HINTS, cutoff=0.4)
    return ", ".join(found) or otherwise or _NOTHING


def names_alike(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """The one that is spelt like `text` but for capitals and underscores; else those with a letter
    more, less, other or in another place; else those like it, best first."""
    word, names = folded(text), list(known)
    if word in names:
        return (word,)
    close = get_close_matches(word, names, n=2 * _HINTS, cutoff=0.5)
    close.sort(key=lambda it: letters_between(word, it))
    slips = [it for it in close if letters_between(word, it) == 1]
    return tuple(slips or close)[:_HINTS]


def letters_between(one: str, other: str) -> int:
    """Letters to put in, take out, change or swap with their neighbour, to make one text of the
    other (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for to, wanted in enumerate(other, 1):
            cost = min(before[to] + 1, row[-1] + 1, before[to - 1] + (letter != wanted))
            swapped = at > 1 and to > 1 and (letter, one[at - 2]) == (other[to - 2], wanted)
            row.append(min(cost, earlier[to - 2] + 1) if swapped else cost)
    return row[-1]


def folded(text: str) -> str:
    """Text as Google spells names."""
    return re.sub(r"[\s_-]+", "-", text[:80].strip().casefold())


def nearest_numbers(value: int, known: Iterable[int]) -> str:
    """The (up to) two known numbers nearest to `value`, nearest first."""
    return ", ".join(str(n) for n in sorted(known, key=lambda n: (abs(n - value), n))[:2])
