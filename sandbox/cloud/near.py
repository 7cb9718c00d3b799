"""What is simulated near a type or a function that is not."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST = 3


def near(token: str, known: Iterable[str]) -> str:
    """Those of its own service first, the likest first; empty where there are none."""
    names = list(known)
    service = token.partition("/")[0]
    own = [it for it in names if it.partition("/")[0] == service]
    cutoff = 0.0 if own else 0.6
    return ", ".join(difflib.get_close_matches(token, own or names, n=_MOST, cutoff=cutoff))
