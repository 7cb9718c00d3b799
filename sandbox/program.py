"""The user's program, `__main__.py`, as a function for the engine to call."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pulumi


def load_program(folder: Path) -> None:
    """Run `__main__.py` as Pulumi's language host does: as the main module of its folder."""
    # The SDK tells the engine some five lines for each resource, which nobody is shown: a call, and
    # an event back, for each.
    pulumi.log.debug = _nothing
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        runpy.run_path(str(folder / "__main__.py"), run_name="__main__")
    except SystemExit:
        # Of any other exception the Automation API shows a traceback.
        raise pulumi.RunError("the program ended with what it said above") from None


def _nothing(*said: object) -> None:
    pass
