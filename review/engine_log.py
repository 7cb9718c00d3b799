"""The engine's output for a log and a job's summary, where nobody's text is more than text: as a
command, `pulumi ... 2>&1 | python -m review.engine_log TITLE`.

Configs, resource names and the state have a say in every line of it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from cli.lines import say
from review.quoted import LINE, fenced, logged, word
from stacks.unseen import written_out

# GitHub takes 1 MiB of a step, and none of a step that has more (GitHub documentation, "Workflow
# commands for GitHub Actions", step isolation and limits).
_SUMMARY_BYTES = 1024 * 1024
# Room for what other commands of the step write.
_ROOM = 64 * 1024


def pieces(line: str) -> Iterator[str]:
    """The whole line, in pieces as long as a line of a report: what is cut off may be what
    matters."""
    seen = written_out(line.rstrip("\n"))
    for start in range(0, max(len(seen), 1), LINE):
        yield seen[start : start + LINE]


def summary(title: str, lines: Iterable[str]) -> str:
    """Says before all else where it leaves lines out."""
    kept: list[str] = []
    size, left_out = 0, 0
    for line in lines:
        size += len(line.encode()) + 1
        if size > _SUMMARY_BYTES - _ROOM:
            left_out += 1
        else:
            kept.append(line)
    cut = f"**{left_out} lines more are in the log alone.**\n\n" if left_out else ""
    block = fenced("\n".join(kept), "text")
    return f"### {word(title)}\n\n{cut}{block}\n\n"


def main(title: str, written: Iterable[bytes], file: Path | None) -> int:
    lines: list[str] = []
    for line in written:
        for piece in pieces(line.decode(errors="replace")):
            say(logged(piece))
            lines.append(piece)
    if file is not None:
        with file.open("a", encoding="utf-8") as stream:
            stream.write(summary(title, lines))
    return 0


if __name__ == "__main__":
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    sys.exit(main(sys.argv[1], sys.stdin.buffer, Path(place) if place else None))
