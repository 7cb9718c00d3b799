"""Where tables go: nothing in them is ever cut, for ids are there to be copied. A table that is
wider than a screen has several lines a row, and a word that is wider stands on a line of its own.

Rich reads no markup in what is printed, and a terminal gets none of its control characters.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from cli.lines import plain_line
from stacks.unseen import written_out

# Wider than any word, for what reads a pipe is cut nowhere.
_PIPE = 10_000
_SCREEN = 80
_GAP, _INDENT = "  ", "  "


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


class Rows:
    """A plain table. Where it does not fit, its columns go on in lines below, further in."""

    def __init__(self, *columns: str) -> None:
        self._rows = [tuple(Text(plain_line(it)) for it in columns)]

    def add_row(self, *cells: str | Text) -> None:
        """What is not given is empty."""
        given = [*cells, *("" for _ in self._rows[0][len(cells) :])]
        plain = (it if isinstance(it, Text) else Text(it) for it in given)
        self._rows.append(tuple(Text(plain_line(it.plain), it.style) for it in plain))

    @property
    def row_count(self) -> int:
        return len(self._rows) - 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[Any]:
        width = _SCREEN if options.max_width == _PIPE else options.max_width
        lines = list(self._lines(width))
        for row in self._rows:
            if not any(it.plain for it in row):
                yield Text()
            for number, columns in enumerate(lines):
                if any(row[it].plain for it in columns):
                    yield from _line(row, columns, width, _INDENT if number else "")

    def _lines(self, width: int) -> Iterator[dict[int, int]]:
        """Which columns stand in each line of a row, with their widths."""
        columns = zip(*self._rows, strict=True)
        all_widths = [max(cell_len(it.plain) for it in cells) for cells in columns]
        fits = sum(all_widths) + len(_GAP) * (len(all_widths) - 1) <= width
        line: dict[int, int] = {}
        room = width
        for column, widest in enumerate(all_widths):
            is_title = column == 1 and not fits and all_widths[0] > width // 2
            if line and (widest > room or is_title):
                yield line
                line, room = {}, width - len(_INDENT)
            line[column] = widest
            room -= widest + len(_GAP)
        yield line


def _line(
    row: Sequence[Text], columns: Mapping[int, int], width: int, indent: str
) -> Iterator[Text]:
    """A sentence that is too long goes on below."""
    cells = [row[it] for it in columns]
    (*_, last), end = columns.values(), cells[-1].plain
    before = Text(indent)
    for cell, wide in zip(cells[:-1], columns.values(), strict=False):
        before += cell + Text(" " * (wide - cell_len(cell.plain)) + _GAP)
    room = max(1, width - cell_len(before.plain))
    first, *more = wrap(end, room, break_long_words=False, break_on_hyphens=False) or [""]
    if last <= room:
        first, more = end, []
    whole = before + Text(first, cells[-1].style)
    whole.rstrip()
    yield whole
    yield from (Text(f"{' ' * cell_len(before.plain)}{it}") for it in more)


def new_table(*columns: str) -> Rows:
    return Rows(*columns)
