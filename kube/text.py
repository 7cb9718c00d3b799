"""Words that refusals share."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(given: str, known: Iterable[str]) -> str:
    """`; nearest: ` and the closest of the known names, or all of them when none is close."""
    names = sorted(known) if isinstance(known, set | frozenset) else list(known)
    close = get_close_matches(given, names, n=1)
    return "; nearest: " + (close[0] if close else ", ".join(names))
