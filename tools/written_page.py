"""A page of the docs that a tool writes of data, or holds against it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def write_or_check(page: Path, text: str, arguments: Sequence[str], remedy: str) -> int:
    """Written, or with `--check` compared: the exit code is 1 where it says something else."""
    if "--check" not in arguments:
        page.write_text(text, encoding="utf-8")
        return 0
    current = page.is_file() and page.read_text(encoding="utf-8") == text
    if not current:
        print(remedy)
    return 0 if current else 1


def table_row(*cells: str) -> str:
    """A row of a Markdown table; a cell is one line."""
    shown = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(shown)} |"
