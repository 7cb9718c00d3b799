"""Failures on request: which operation they hit, and which files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.errors import UserError
from sandbox.faults import Fail, Faults

POOL = "gcp:container/nodePool:NodePool"


def load(path: Path, text: str) -> Faults:
    file = path / "faults.yaml"
    file.write_text(text)
    return Faults.load(file)


def test_a_rule_fails_the_nth_operation_of_its_kind_and_no_other(tmp_path: Path) -> None:
    rule = f'{{kind: fail, type: "{POOL}", operation: create, nth: 2, message: "no room"}}'
    faults = load(tmp_path, f"rules: [{rule}]")
    operations = ("create", "update", "create", "create")
    found: list[Fail | None] = []
    for operation in operations:
        faults.started(POOL, operation)
        found.append(faults.failing(POOL, operation))
    assert [it and it.message for it in found] == [None, None, "no room", None]


def test_the_engine_crashes_while_the_operation_after_the_given_number_is_under_way(
    tmp_path: Path,
) -> None:
    faults = load(tmp_path, "rules: [{kind: crash, after: 1}]")
    assert [faults.started(POOL, "create") for _ in range(3)] == [None, *faults.rules, None]


def test_slow_rules_multiply(tmp_path: Path) -> None:
    rule = f'{{kind: slow, type: "{POOL}", factor: 3}}'
    faults = load(tmp_path, f"rules: [{rule}, {rule}]")
    assert faults.slowdown(POOL) == 9
    assert faults.slowdown("gcp:container/cluster:Cluster") == 1


@pytest.mark.parametrize(
    "text",
    [
        "rules: [{kind: explode}]",
        "rules: [{kind: crash}]",
        "rules: [{kind: crash, after: -1}]",
        "[",
    ],
)
def test_a_file_that_says_nothing_sensible_is_refused_without_a_traceback(
    tmp_path: Path, text: str
) -> None:
    with pytest.raises(UserError, match=r"^--fault: "):
        load(tmp_path, text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no such file$"):
        Faults.load(tmp_path / "nothing.yaml")
