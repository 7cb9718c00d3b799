"""Samples of output on pages: each is what the page's own commands have said up to there.

A sample stands between two markers `said LINES START`: so many lines, from the last one that starts
so; `said LINES START, and LINES START` is two such cuts. `python -m tests.pages.said PAGE` writes
those of a page, without PAGE all, as `make inventory` does.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.pages.blocks import PAGES, Block, blocks_of
from tests.pages.reader import BEFORE, Reader
from tests.stacks import regions

_MARKER = re.compile(r"^<!-- (said (.+)) -->\n+\Z", re.MULTILINE)
_CUT = re.compile(r"(\d+) (.+)")
# Kubernetes' names that are drawn: k8s.io/apimachinery pkg/util/rand, alphanums.
_DRAWN = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}\b")


@dataclass(frozen=True)
class Sample:
    """`region` is its marker's name; `cuts` are numbers of lines with how the first one starts."""

    region: str
    cuts: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, block: Block) -> Sample | None:
        """That of a block which is one."""
        lines = PAGES[block.page].splitlines(keepends=True)
        marker = _MARKER.search("".join(lines[: block.line - 1]))
        if not marker:
            return None
        cuts = (_CUT.fullmatch(it) for it in marker[2].split(", and "))
        return cls(marker[1], tuple((int(it[1]), it[2]) for it in cuts if it))

    def in_output(self, said: Sequence[str]) -> str:
        lines = [line.rstrip() for text in said for line in text.splitlines()]
        shown: list[str] = []
        for count, start in self.cuts:
            starts = [at for at, line in enumerate(lines) if line.startswith(start)]
            assert starts, f"no command has said {start}"
            shown += lines[starts[-1] :][:count]
        return "\n".join(shown) + "\n"


def alike(one: str, other: str) -> bool:
    """Whether two outputs differ in drawn names alone, and in the order of what came at once."""
    return _undrawn(one) == _undrawn(other)


def _undrawn(text: str) -> list[str]:
    return sorted(re.sub(" +", " ", _DRAWN.sub("-", line)) for line in text.splitlines())


def write_all(pages: Iterable[str] = PAGES) -> None:
    for page in pages:
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
    write_all(sys.argv[1:] or PAGES)
