"""The user's program, `__main__.py`, as a function for the engine to call."""

from __future__ import annotations

import gc
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pulumi

from sandbox.events import PROGRAM_ENDED


def load_program(folder: Path) -> None:
    """Run `__main__.py` as Pulumi's language host does: as the main module of its folder."""
    # The SDK tells the engine some five lines for each resource, which nobody is shown: a call, and
    # an event back, for each.
    pulumi.log.debug = _nothing
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        with _uncollected():
            runpy.run_path(str(folder / "__main__.py"), run_name="__main__")
    except SystemExit:
        # Of any other exception the Automation API shows a traceback.
        raise pulumi.RunError(PROGRAM_ENDED) from None


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for garbage in the meantime, nor ever again among what the first program brought:
    the SDK makes objects by the hundred thousand, and they stay. To go through them again and again
    took a quarter of the time of loading it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
        if collecting and not gc.get_freeze_count():
            gc.freeze()
    finally:
        if collecting:
            gc.enable()


def _nothing(*said: object) -> None:
    pass
