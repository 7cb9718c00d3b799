"""Each stack's size and simulated times as a table, between two markers of the README.

`python -m tools.stack_table` brings every stack up on a sandbox of its own and writes the table;
`--check` says instead whether the one that is there is the same. `--summaries FOLDER` takes what
`python -m sandbox up --json FOLDER/NAME.json` wrote before, and runs nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sandbox.workspace import PROJECT_FOLDER, stack_names

MARKER = "<!-- figures -->"
README = PROJECT_FOLDER / "README.md"
_SPEED = 100_000
_HEAD = ("stack", "resources", "simulated `up`", "to the critical path", "one after the other")

Summary = Mapping[str, Any]


class TableError(Exception):
    """What is wrong with the arguments or with a stack, in one line."""


def table(summaries: Mapping[str, Summary]) -> str:
    """A Markdown table: a row a stack, from the summaries of their `up`s by name."""
    rows = [_HEAD, *(_row(stack, up) for stack, up in summaries.items())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    # GitHub draws a column by its widest cell, so the last one needs no padding.
    rule = [*("-" * width for width in widths[:-1]), "---"]
    widths[-1] = 0
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |"
        for row in (rows[0], rule, *rows[1:])
    )


def with_table(page: str, drawn: str) -> str:
    """The page with the table between its two markers."""
    parts = page.split(MARKER)
    if len(parts) != 3:
        raise TableError(
            f"{MARKER} is {len(parts) - 1} times in {README.name}; nearest: twice, around the table"
        )
    before, _, after = parts
    return f"{before}{MARKER}\n\n{drawn}\n\n{MARKER}{after}"


def _row(stack: str, up: Summary) -> tuple[str, ...]:
    makespan = up["makespan_s"]
    if not up["changes"].get("create") or not makespan:
        raise TableError(f'"{stack}" was there already; nearest: an `up` in an empty folder')
    return (
        stack,
        str(up["changes"]["create"]),
        _spoken(makespan),
        f"{makespan / up['critical_path_s']:.2f} x",
        f"{_spoken(up['sequential_s'])}, {up['sequential_s'] / makespan:.2f} x",
    )


def _spoken(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def read(folder: Path, stack: str) -> Summary:
    file = folder / f"{stack}.json"
    if not file.is_file():
        raise TableError(
            f"--summaries: no {file.name} in {folder.name}; "
            f"nearest: python -m sandbox up --stack {stack} --json {file.name}"
        )
    return json.loads(file.read_text())


def bring_up(folder: Path, stack: str) -> Summary:
    """The summary of a first `up`, by the real engine, in a sandbox of the stack's own."""
    file = folder / f"{stack}.json"
    command = [sys.executable, "-m", "sandbox", "up", "--stack", stack, "--json", str(file)]
    command += ["--kube", "memory"]
    options = ["--folder", str(folder / stack), "--speed", str(_SPEED)]
    done = subprocess.run(
        [*command, *options], cwd=PROJECT_FOLDER, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = done.stdout.strip().splitlines()[-1:] or ["it said nothing"]
        raise TableError(
            f'"{stack}" did not come up: {last[0]}; nearest: python -m sandbox up --stack {stack}'
        )
    return read(folder, stack)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.stack_table", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--summaries", type=Path, metavar="FOLDER", help="of ups that were run")
    given = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            ups = {
                stack: read(given.summaries, stack)
                if given.summaries
                else bring_up(Path(scratch), stack)
                for stack in stack_names()
            }
        page = README.read_text()
        current = with_table(page, table(ups))
    except TableError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if current == page:
        print(f"{README.name}: the table is current")
        return 0
    if given.check:
        print(f"{README.name}: the table is old; between its markers belongs:\n{table(ups)}")
        return 1
    README.write_text(current)
    print(f"{README.name}: the table is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
