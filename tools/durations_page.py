"""docs/durations.md: how long each operation takes, and who says so; `python -m tools.facts` writes
it from catalog/data/durations.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from catalog.durations import TABLE
from catalog.durations_table import Seconds, Table, read_table
from tools.written_page import table_row

PAGE = Path(__file__).resolve().parent.parent / "docs" / "durations.md"
_TEXT = """\
# How long operations take

The seconds of `catalog/data/durations.yaml`: the shortest and the longest that was seen or is
published of an operation that went well, and the likely one, with which the simulation runs.
`python -m tools.facts` writes this page.
"""


def page() -> str:
    """The page's whole text."""
    table = read_table(TABLE)
    return "\n".join([_TEXT, *_counts(table), *_figures(table), *_sources(table)]) + "\n"


def _counts(table: Table) -> Iterator[str]:
    figures = [seconds for _, _, seconds in table.figures()]
    sourced = [it for it in figures if it.seen]
    creates = [seconds for _, operation, seconds in table.figures() if operation == "create"]
    wholly = sum(not it.ours for it in sourced)
    yield f"- {len(table.durations)} resource types, {len(figures)} operations of them."
    yield (
        f"- {len(sourced)} operations have a public source; it says all three figures of {wholly}, "
        f"and of the others one or two. {len(figures) - len(sourced)} are estimates of ours."
    )
    known = sum(bool(it.seen) for it in creates)
    yield f"- Of {len(creates)} creates {known} have a public source."
    yield ""
    yield f"How sources were looked for: {table.looked_for} Read on {table.date}."


def _figures(table: Table) -> Iterator[str]:
    yield from ("", "## Seconds", "", "| type | operation | shortest | likely | longest | by |")
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, operation, it in table.figures():
        numbers = (f"{seconds:g}" for seconds in (it.low, it.likely, it.high))
        yield table_row(f"`{name}`", operation, *numbers, _said(it))


def _said(seconds: Seconds) -> str:
    seen = ", ".join(f"[{it}](#sources)" for it in seconds.seen)
    ours = f"**estimate**: {seconds.ours}" if seconds.ours else ""
    return "; ".join(filter(None, (seen, ours)))


def _sources(table: Table) -> Iterator[str]:
    yield from ("", "## Sources", "", "| name | what |", "| --- | --- |")
    for name, what in table.sources.items():
        yield table_row(name, what)
