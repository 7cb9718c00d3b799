"""Counts and times of pages, each written by a run: what the first `up` of a stack makes and takes,
what a change does, when the first step comes; and messages that refuse what loses data.

A region says in its marker what is run: `changes STACK` and `first-steps STACK`, of which
page_changes.yaml and first_steps.yaml have the rows, `costs STACK` (page_costs.py), or `ways WHAT`
(ways_to_lose_data.py). Runs have no token but the one that a stack
requires: what a user without one sees.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.overrides import all_secrets
from sandbox.run_result import RunResult
from sandbox.workspace import Workspace
from tests.stacks import regions, ways_to_lose_data
from tests.stacks.conftest import Sandbox
from tests.stacks.page_costs import costs
from tools.written_page import table_row

Summary = Mapping[str, Any]
_FOLDER = Path(__file__).parent
_WORDS = {"update": "in place", "replace": "replaced", "create": "made", "delete": "deleted"}
CHANGES_HEAD = ("change", "what happens", "of the engine", "simulated time")


@cache
def changes() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    return yaml.safe_load((_FOLDER / "page_changes.yaml").read_text())


@cache
def first_steps() -> Mapping[str, Mapping[str, Any]]:
    return yaml.safe_load((_FOLDER / "first_steps.yaml").read_text())


@dataclass(frozen=True)
class Asked:
    """What a region is about."""

    kind: str
    stack: str

    @classmethod
    def of(cls, region: str) -> Asked:
        kind, stack = region.split()
        return cls(kind, stack)


def text_of(region: str) -> str:
    """What the runs of a region say."""
    asked = Asked.of(region)
    match asked.kind:
        case "costs":
            lines = costs(asked.stack)
        case "changes":
            lines = _changes(asked.stack, changes()[asked.stack])
        case "ways":
            lines = ways_to_lose_data.lines(asked.stack)
        case _:
            lines = _first_steps(asked.stack, first_steps()[asked.stack])
    return "\n".join(lines)


@cache
def first_up(stack: str) -> Summary:
    """What `up` says of itself with `--json`."""
    with _without_tokens(stack) as sandbox:
        return sandbox.succeed("up").to_json()


@contextmanager
def _without_tokens(stack: str) -> Iterator[Sandbox]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for name in all_secrets():
            patch.delenv(name.partition(":")[2].upper(), raising=False)
        yield Sandbox(Workspace(Path(folder) / "sandbox", stack))


def spoken(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    minutes, rest = divmod(rest, 60)
    parts = ((hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or "0 s"


def spread(summary: Mapping[str, Any]) -> str:
    """The likely time, and in minutes the shortest and the longest."""
    low, high = (math.floor(summary[f"makespan_{it}_s"] / 60 + 0.5) for it in ("low", "high"))
    return f"{spoken(summary['critical_path_s'])} ({low} to {high})"


def _changes(stack: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from _head(CHANGES_HEAD)
    with _without_tokens(stack) as sandbox:
        sandbox.succeed("up")
        for row in rows:
            # Ways of one row are said in one breath, so they do and take the same.
            (said,) = {_done(sandbox.succeed("preview", *way)) for way in row["ways"]}
            yield table_row(row["change"], row["what"], *said)


def _done(preview: RunResult) -> tuple[str, str]:
    counts = Counter(it.operation for it in preview.report.resources)
    done = ", ".join(f"{counts[it]} {word}" for it, word in _WORDS.items() if counts[it])
    return done, spoken(preview.to_json()["critical_path_s"])


def _first_steps(stack: str, wanted: Mapping[str, Any]) -> Iterator[str]:
    yield from _head(("so", "first step", "accelerator-minutes paid before it", "USD"))
    for row in wanted["rows"]:
        with _without_tokens(stack) as sandbox:
            project = sandbox.workspace.root.parent / "project.yaml"
            project.write_text(yaml.safe_dump(wanted["project"]))
            result = sandbox.run("preview", *row["set"], project=project)
        assert result.ok, result.report.diagnostics
        (course,) = (it for it in result.courses if it.chosen)
        usd = "unknown" if course.usd is None else f"{course.usd[0]:.0f}"
        minutes = f"{course.accelerator_minutes:.0f}"
        yield table_row(row["so"], spoken(course.seconds), minutes, usd)


def _head(cells: Sequence[str]) -> Iterator[str]:
    yield table_row(*cells)
    yield table_row(*("---" for _ in cells))


def write_all() -> None:
    for page in regions.pages():
        for region in regions.names(page):
            regions.write(region, f"\n{text_of(region)}\n", page)
