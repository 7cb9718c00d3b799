"""Where tables go: nothing in them is ever cut, for ids are there to be copied."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table

# Wider than any row, for what reads a pipe wants a row on a line.
_PIPE = 10_000


def new_console() -> Console:
    return Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE)


def new_table(*columns: str) -> Table:
    """A plain table; on a narrow terminal its cells go on below."""
    made = Table(box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made
