"""Run make's verbs one after the other, also after one that failed, and print one table at the end.

`make test-all` runs it with every tier.

A row counts what pytest says in its closing lines; a verb without pytest has no counts. Exits with
1 where one verb failed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# `= 2 failed, 10 passed, 1 skipped in 3.21s (0:00:03) =`, or the same without the lines around it.
_CLOSING = re.compile(r"^(?:=+ )?((?:\d+ \w+, )*\d+ \w+) in [\d.]+s\b")
_COLOURS = re.compile(r"\x1b\[[\d;]*m")
_COUNT = re.compile(r"(\d+) (\w+)")


@dataclass(frozen=True)
class Tier:
    """What one verb did."""

    verb: str
    counts: Counter[str]
    seconds: float
    code: int

    @property
    def failed(self) -> int:
        return self.counts["failed"] + self.counts["error"] + self.counts["errors"]

    @property
    def is_red(self) -> bool:
        """Also where make was told to go on after an error, and where no test of a tier passed."""
        nothing_passed = bool(self.counts) and not self.counts["passed"]
        return bool(self.code or self.failed or nothing_passed)

    def row(self) -> str:
        passed = str(self.counts["passed"]) if self.counts else "-"
        lost = str(self.failed) if self.counts else "-"
        verdict = f"red (exit {self.code})" if self.is_red else "green"
        return f"{self.verb:<16}{passed:>8}{lost:>8}{self.seconds / 60:>9.1f}  {verdict}"


def counted(lines: Iterable[str]) -> Counter[str]:
    """Sum what pytest's closing lines say: a verb may run it several times."""
    counts: Counter[str] = Counter()
    for line in lines:
        if closing := _CLOSING.match(_COLOURS.sub("", line)):
            for number, word in _COUNT.findall(closing[1]):
                counts[word] += int(number)
    return counts


def run(verb: str) -> Tier:
    """Run `make VERB` with its output shown as it comes."""
    begun = time.monotonic()
    lines: list[str] = []
    with subprocess.Popen(
        ["make", verb],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as make:
        assert make.stdout is not None
        for line in make.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return Tier(verb, counted(lines), time.monotonic() - begun, make.returncode)


def main(verbs: Sequence[str]) -> int:
    tiers = [run(verb) for verb in verbs]
    print(f"\n{'tier':<16}{'passed':>8}{'failed':>8}{'minutes':>9}")
    for tier in tiers:
        print(tier.row())
    return int(any(tier.is_red for tier in tiers))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
