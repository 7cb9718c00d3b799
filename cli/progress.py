"""A line for those who wait, once it takes long; for a person alone, on the other channel."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from cli.lines import say_aside

_SECONDS = 2.0


@contextmanager
def told(what: str) -> Iterator[None]:
    """Says `what` is going on if it is not done by then."""
    timer = threading.Timer(_SECONDS, say_aside, [f"{what} ..."])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
