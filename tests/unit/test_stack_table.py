"""The README's table of stacks, from summaries of their `up`s. Cannot prove that its figures are of
the stacks as they are now: that needs the engine (`python -m tools.stack_table --check`)."""

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.workspace import stack_names
from tools import stack_table
from tools.stack_table import MARKER, main, table, with_table


def summary(**changed: Any) -> dict[str, Any]:
    return {
        "changes": {"create": 48},
        "makespan_s": 1189.0,
        "critical_path_s": 1150.0,
        "sequential_s": 1560.0,
        **changed,
    }


def test_a_row_has_the_size_the_time_and_both_ratios() -> None:
    rows = table({"dev": summary()}).splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert cells[0] == [
        "stack",
        "resources",
        "simulated `up`",
        "to the critical path",
        "one after the other",
    ]
    assert cells[2] == ["dev", "48", "19 min 49 s", "1.03 x", "26 min, 1.31 x"]


def test_columns_stand_below_each_other() -> None:
    short, long = table({"a": summary(), "quite-long": summary()}).splitlines()[2:]
    assert [i for i, char in enumerate(short) if char == "|"][:-1] == [
        i for i, char in enumerate(long) if char == "|"
    ][:-1]


def test_the_table_goes_between_the_markers_and_nothing_else_changes() -> None:
    page = f"before\n{MARKER}\nold\n{MARKER}\nafter"
    assert with_table(page, "new") == f"before\n{MARKER}\n\nnew\n\n{MARKER}\nafter"
    assert with_table(with_table(page, "new"), "new") == with_table(page, "new")


@pytest.fixture
def summaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a summary of every stack, and a page of its own for the table."""
    monkeypatch.setattr(stack_table, "README", tmp_path / "README.md")
    stack_table.README.write_text(f"# Title\n{MARKER}\n{MARKER}\n")
    for stack in stack_names():
        (tmp_path / f"{stack}.json").write_text(json.dumps(summary()))
    return tmp_path


def test_a_table_that_was_written_is_current_until_a_stack_changes(summaries: Path) -> None:
    arguments = ["--summaries", str(summaries)]
    assert main([*arguments, "--check"]) == 1
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0
    (summaries / "dev.json").write_text(json.dumps(summary(makespan_s=1200.0)))
    assert main([*arguments, "--check"]) == 1


def test_a_check_writes_nothing(summaries: Path) -> None:
    before = stack_table.README.read_text()
    main(["--summaries", str(summaries), "--check"])
    assert stack_table.README.read_text() == before


@pytest.mark.parametrize(
    ("page", "dev", "ending"),
    [
        (f"{MARKER}", summary(), "nearest: twice, around the table\n"),
        (f"{MARKER}{MARKER}", summary(changes={"same": 48}), "an `up` in an empty folder\n"),
        (f"{MARKER}{MARKER}", None, "python -m sandbox up --stack dev --json dev.json\n"),
    ],
)
def test_what_no_table_can_be_made_of_is_an_error_with_what_works(
    summaries: Path,
    capsys: pytest.CaptureFixture[str],
    page: str,
    dev: dict[str, Any] | None,
    ending: str,
) -> None:
    stack_table.README.write_text(page)
    if dev is None:
        (summaries / "dev.json").unlink()
    else:
        (summaries / "dev.json").write_text(json.dumps(dev))
    assert main(["--summaries", str(summaries)]) == 2
    assert capsys.readouterr().err.endswith(ending)


def test_the_readme_has_a_row_of_figures_for_every_stack() -> None:
    between = (stack_table.PROJECT_FOLDER / "README.md").read_text().split(MARKER)[1]
    rows = [line.split("|")[1].strip() for line in between.splitlines() if line.startswith("| ")]
    assert rows[0] == "stack"
    assert rows[2:] == stack_names()
