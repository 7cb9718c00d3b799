"""Six lines that stand twice are a part that wants a name: `make check` shows them.

Blank lines, comments, lines of nothing but brackets, and imports do not count. What clusters run
(`workloads/`) is left out: each script has to stand alone in its pod.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("catalog", "cli", "components", "kube", "recovery", "review", "sandbox", "stacks")
LINES = 6


def repeats(root: Path, files: list[Path]) -> Iterator[str]:
    """One line for each place where code begins that stands elsewhere, too."""
    seen: dict[tuple[str, ...], list[tuple[Path, int]]] = defaultdict(list)
    for file in files:
        if file.suffix == ".py" and file.relative_to(root).parts[0] in FOLDERS:
            lines = list(_lines(file.read_text()))
            for place in range(len(lines) - LINES + 1):
                window = lines[place : place + LINES]
                seen[tuple(text for _, text in window)].append((file, window[0][0]))
    for places in seen.values():
        if len(places) > 1:
            shown = [f"{file.relative_to(root).as_posix()}:{number}" for file, number in places]
            yield f"{shown[0]}: {LINES} lines that stand at {', '.join(shown[1:])}, too"


def _lines(source: str) -> Iterator[tuple[int, str]]:
    imported = {
        number
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    for number, line in enumerate(source.splitlines(), 1):
        text = line.strip()
        if number not in imported and re.search(r"\w", text) and not text.startswith("#"):
            yield number, text
