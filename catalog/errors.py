"""The one error of the catalog, and the "nearest" hints that its messages carry."""

from collections.abc import Iterable
from difflib import get_close_matches

_HINTS = 3
_NOTHING = "nothing like it"


class FactError(ValueError):
    """A value that contradicts the catalog; the message is one line: value, why, nearest."""


def nearest_names(value: str, known: Iterable[str]) -> str:
    """Up to three names like `value`, best first, joined by commas; or that nothing is near."""
    return ", ".join(get_close_matches(value, list(known), n=_HINTS, cutoff=0.4)) or _NOTHING


def nearest_numbers(value: int, known: Iterable[int]) -> str:
    """The (up to) two known numbers nearest to `value`, nearest first."""
    return ", ".join(str(n) for n in sorted(known, key=lambda n: (abs(n - value), n))[:2])
