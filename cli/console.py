"""Where tables go: nothing in them is ever cut, for ids are there to be copied.

Rich reads no markup in what is printed, and a terminal gets none of its control characters.
"""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.lines import plain_line

# Wider than any row, for what reads a pipe wants a row on a line.
_PIPE = 10_000


class _PlainConsole(Console):
    """Rich asks it for the text of every string that it prints, of tables' cells too."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(plain_line(text), **options)


def new_console() -> Console:
    width = None if sys.stdout.isatty() else _PIPE
    return _PlainConsole(highlight=False, markup=False, emoji=False, width=width)


def new_table(*columns: str) -> Table:
    """A plain table; on a narrow terminal its cells go on below."""
    made = Table(box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made
