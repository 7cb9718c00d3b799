"""Samples of output on pages: each is what the page's own commands have said up to there.

A sample stands between two markers `said LINES START`: so many lines, from the last one that starts
so. `python -m tests.pages.said` writes them, as `make inventory` does.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.pages.blocks import PAGES, Block, blocks_of
from tests.pages.reader import BEFORE, Reader
from tests.stacks import regions

_MARKER = re.compile(r"^<!-- (said (\d+) (.+)) -->\n+\Z", re.MULTILINE)
# Kubernetes' names that are drawn: k8s.io/apimachinery pkg/util/rand, alphanums.
_DRAWN = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}\b")


@dataclass(frozen=True)
class Sample:
    """`region` is its marker's name."""

    region: str
    lines: int
    start: str

    @classmethod
    def of(cls, block: Block) -> Sample | None:
        """That of a block which is one."""
        lines = PAGES[block.page].splitlines(keepends=True)
        marker = _MARKER.search("".join(lines[: block.line - 1]))
        return cls(marker[1], int(marker[2]), marker[3]) if marker else None

    def in_output(self, said: Sequence[str]) -> str:
        lines = [line.rstrip() for text in said for line in text.splitlines()]
        starts = [at for at, line in enumerate(lines) if line.startswith(self.start)]
        assert starts, f"no command has said {self.start}"
        return "\n".join(lines[starts[-1] :][: self.lines]) + "\n"


def alike(one: str, other: str) -> bool:
    """Whether two outputs differ in drawn names alone, and in the order of what came at once."""
    return _undrawn(one) == _undrawn(other)


def _undrawn(text: str) -> list[str]:
    return sorted(re.sub(" +", " ", _DRAWN.sub("-", line)) for line in text.splitlines())


def write_all() -> None:
    for page in PAGES:
        samples = {it: sample for it in blocks_of(page) if (sample := Sample.of(it))}
        if not samples:
            continue
        with tempfile.TemporaryDirectory() as folder:
            reader = Reader(page, Path(folder) / "project")
            reader.prepare(**BEFORE.get(page, {}))
            for block in blocks_of(page):
                for command in block.commands:
                    reader.try_out(block, command)
                if sample := samples.get(block):
                    text = sample.in_output(reader.said)
                    if not alike(text, block.text):
                        regions.write(sample.region, f"```text\n{text}```", page)


if __name__ == "__main__":
    write_all()
