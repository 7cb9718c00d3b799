"""What is printed fits a screen of 80 columns, and nothing of it is cut."""

from __future__ import annotations

import ast
from contextlib import suppress

import pytest
from rich.text import Text

from aistack.__main__ import main
from cli.console import new_console, new_table
from tests.conftest import ROOT
from tests.unit.test_offered import PACKAGES
from tests.unit.test_usage_errors import VERBS

HELPS = sorted({verb[:length] for verb in VERBS for length in range(len(verb) + 1)})
SCREEN = 80


@pytest.mark.parametrize("verb", [*HELPS, ("recover",), ("schema",)], ids=" ".join)
def test_a_help_fits_a_screen_and_is_cut_nowhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", str(SCREEN))
    monkeypatch.setattr("sys.argv", ["aistack", *verb, "--help"])
    with suppress(SystemExit):
        assert main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert [it for it in lines if len(it) > SCREEN] == []
    assert [it for it in lines if it.endswith("...") and "sage: " not in it] == []


def printed(capsys: pytest.CaptureFixture[str], *rows: tuple[str | Text, ...]) -> list[str]:
    head, *others = rows
    table = new_table(*map(str, head))
    for row in others:
        table.add_row(*row)
    new_console().print(table)
    return capsys.readouterr().out.splitlines()


def test_a_table_that_fits_has_a_line_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, ("pod", "phase"), ("a", Text("Running", "red")), ("long", "")) == [
        "pod   phase",
        "a     Running",
        "long",
    ]


def test_a_table_that_does_not_fit_has_several(capsys: pytest.CaptureFixture[str]) -> None:
    long = "kueue-system/kueue-controller-manager-nwmrvvjjsz-bmvrc"
    node = "gke-kueue-mixed-gpu-pool-0"
    head = ("pod", "phase", "node")
    assert printed(capsys, head, (long, "Running", node), ("a", "Pending", "")) == [
        "pod",
        "  phase    node",
        long,
        f"  Running  {node}",
        "a",
        "  Pending",
    ]


def test_a_row_that_goes_on_with_the_one_before_it_has_no_empty_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    long = "word " * 15
    assert printed(capsys, ("", ""), ("queues", long), ("", long)) == [
        "",
        "queues",
        f"  {long}".rstrip(),
        f"  {long}".rstrip(),
    ]


def test_no_word_is_cut_and_a_sentence_goes_on_below(capsys: pytest.CaptureFixture[str]) -> None:
    resource = f"projects/p/{'n' * 100}"
    sentence = " ".join(["word"] * 40)
    rows = printed(capsys, ("id", "state", "why"), (resource, "ready", sentence), ("b", "", ""))
    assert resource in rows
    rest = [it for it in rows if it != resource]
    assert max(map(len, rest)) <= SCREEN
    assert " ".join(" ".join(rest).split()).count("word") == 40


@pytest.mark.parametrize("width", [20, 60, 79, 80, 81, 200])
def test_whatever_stands_in_a_table_of_words_it_fits_a_screen(
    capsys: pytest.CaptureFixture[str], width: int
) -> None:
    head = tuple(f"column {it}" for it in range(9))
    words = tuple(("ab " * (width * it // 24))[: width * it // 8].strip() for it in range(9))
    lines = printed(capsys, head, words, tuple(reversed(words)))
    assert max(map(len, lines)) <= SCREEN
    said = " ".join(lines).split()
    assert said.count("ab") == 2 * sum(it.split().count("ab") for it in words)


def test_every_table_is_laid_out_so() -> None:
    found = [
        str(file.relative_to(ROOT))
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "rich.table"
    ]
    assert found == []
