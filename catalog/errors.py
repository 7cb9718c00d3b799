"""The one error of the catalog, and the "nearest" hints that its messages carry."""

from collections.abc import Iterable
from difflib import get_close_matches

_HINTS = 3
_NOTHING = "nothing like it"


class FactError(ValueError):
    """A value that contradicts the catalog; the message is one line: value, why, nearest."""


def nearest_names(value: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """Up to three names like `value`, best first, joined by commas; else `otherwise`, or that
    nothing is near."""
    found = get_close_matches(value, list(known), n=_HINTS, cutoff=0.4)
    return ", ".join(found) or otherwise or _NOTHING


def nearest_numbers(value: int, known: Iterable[int]) -> str:
    """The (up to) two known numbers nearest to `value`, nearest first."""
    return ", ".join(str(n) for n in sorted(known, key=lambda n: (abs(n - value), n))[:2])
