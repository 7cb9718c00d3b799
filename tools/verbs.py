"""The table of verbs in docs/aistack.md, as `aistack --help` has them.

`make inventory` writes it; `--check` says instead whether the one that is there is the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer
from typer.core import TyperArgument, TyperGroup

from aistack.__main__ import app
from aistack.command_line import SECTIONS
from tools.written_page import table_row, write_or_check

PAGE = Path(__file__).resolve().parent.parent / "docs" / "aistack.md"
_MARKER = "<!-- verbs -->"


def page() -> str:
    """The page with the table between its two markers."""
    before, _, after = PAGE.read_text(encoding="utf-8").split(_MARKER)
    table = "\n".join(_lines())
    return f"{before}{_MARKER}\n\n{table}\n\n{_MARKER}{after}"


def _lines() -> Iterator[str]:
    yield table_row("to", "verb", "what")
    yield table_row(*["---"] * 3)
    for section, verbs in SECTIONS.items():
        for verb, what in verbs.items():
            yield table_row(section.lower(), f"`{' '.join((verb, *_arguments(verb)))}`", what)


def _arguments(verb: str) -> Iterator[str]:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    command = group.commands.get(verb)
    for one in command.params if command else ():
        if isinstance(one, TyperArgument):
            shown = str(one.name).upper() if one.nargs == 1 else f"{one.name}...".upper()
            yield shown if one.required else f"[{shown}]"


def main(arguments: Sequence[str]) -> int:
    remedy = "docs/aistack.md has other verbs than aistack --help; nearest: make inventory"
    return write_or_check(PAGE, page(), arguments, remedy)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
