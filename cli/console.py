"""Where tables go: nothing in them is ever cut, for ids are there to be copied.

Rich reads no markup in what is printed, and a terminal gets none of its control characters.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from cli.lines import plain_line
from stacks.unseen import written_out

# Wider than any row, for what reads a pipe wants a row on a line.
_PIPE = 10_000


class _PlainConsole(Console):
    """Strings and `Text` are plain before rich lays them out. Whatever else rich prints goes
    through its buffer (`Console._render_buffer` of rich 15.0.0), and comes out of it plain."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(plain_line(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        plain = _plain_text(renderable) if isinstance(renderable, Text) else renderable
        return super().render(plain, options)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        return super()._render_buffer(_plain_segment(it) for it in buffer if not it.control)


def _plain_text(text: Text) -> Text:
    """Without the styles of its parts where it has something to be written out."""
    plain = plain_line(text.plain)
    return text if plain == text.plain else text.blank_copy(plain)


def _plain_segment(it: Segment) -> Segment:
    """The ends of lines are those of the layout."""
    style = it.style.update_link() if it.style and it.style.link else it.style
    return Segment(written_out(it.text, "\t\n"), style)


def new_console() -> Console:
    width = None if sys.stdout.isatty() else _PIPE
    return _PlainConsole(highlight=False, markup=False, emoji=False, width=width)


def new_table(*columns: str) -> Table:
    """A plain table; on a narrow terminal its cells go on below."""
    made = Table(box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made
