"""What runs write into the pages of the root and of docs/: text between two markers of a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cli.project import PROJECT_FOLDER

README = "README.md"
_MARKER = re.compile(r"^<!-- ((?:changes|costs|first-steps|ways) .*) -->$", re.MULTILINE)


def pages() -> list[str]:
    files = (*sorted(PROJECT_FOLDER.glob("*.md")), *sorted((PROJECT_FOLDER / "docs").rglob("*.md")))
    return [str(it.relative_to(PROJECT_FOLDER)) for it in files]


def shown(name: str, page: str = README) -> str:
    """What the page has between its two markers of a name."""
    _, found, _ = _text(page).split(_marker(name))
    return found.strip()


def write(name: str, text: str, page: str = README) -> None:
    before, _, after = _text(page).split(_marker(name))
    written = f"{before}{_marker(name)}\n{text}\n{_marker(name)}{after}"
    (PROJECT_FOLDER / page).write_text(written, encoding="utf-8")


def names(page: str) -> Iterator[str]:
    """Names of the regions of figures, each once."""
    yield from dict.fromkeys(_MARKER.findall(_text(page)))


def _text(page: str) -> str:
    return (PROJECT_FOLDER / page).read_text(encoding="utf-8")


def _marker(name: str) -> str:
    return f"<!-- {name} -->"
