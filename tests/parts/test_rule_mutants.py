"""Without any one of their refusing statements, or with its condition turned round, rules pass what
a row of the tables says is refused, or refuse a sample that is right.

It says nothing of the numbers in a message beyond what the rows say.
"""

import pkgutil
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from stacks import beside, checks, object_names, parts, secret_references
from stacks.parts.jobs import command_words, requirements, script_files
from stacks.parts.pools import room
from tests.parts.refusals import REFUSED, Refused
from tests.parts.rule_mutants import BROKEN, Statement, noted, statements, turned_round, without
from tests.parts.samples import SAMPLES
from tests.parts.test_refusals import OF_THE_PROVIDER, said

# Those of what exists already are held by rows of their own.
MODULES = [
    *(checks, command_words, object_names, requirements, room, script_files, secret_references),
    *(
        import_module(it.name)
        for it in pkgutil.walk_packages(parts.__path__, f"{parts.__name__}.")
        if it.name.endswith("rules") and not it.name.endswith("existing_rules")
    ),
    beside,
]
STATEMENTS = [
    *(it for module in MODULES[:-1] for it in statements(module)),
    *statements(beside, "beside_problems"),
]


def lines_of_row(row: Refused) -> tuple[str, ...] | None:
    """None where a rule breaks, as it may without its condition."""
    try:
        return row.lines()
    except BROKEN:
        return None


def is_said(row: Refused) -> bool:
    found = lines_of_row(row) or ()
    field = f"gcp:{row.field}" if row.field in OF_THE_PROVIDER else f"stack.{row.field}"
    return any(it.startswith(f"{field}: ") and said(row.words, it) for it in found)


def is_right(config: dict[str, Any]) -> bool:
    return lines_of_row(Refused(config, {}, "", "")) == ()


@cache
def lines_by_row() -> list[dict[str, set[int]]]:
    """For each row the lines of each module that say something of it."""
    found: list[dict[str, set[int]]] = []
    for row in REFUSED:
        with ExitStack() as stack:
            lines = {it.__name__: stack.enter_context(noted(it)) for it in MODULES}
            is_said(row)
        found.append(lines)
    return found


def rows_of(statement: Statement) -> list[Refused]:
    its = range(statement.first, statement.last + 1)
    name = statement.module.__name__
    return [row for row, it in zip(REFUSED, lines_by_row(), strict=True) if it[name] & {*its}]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda it: it.name)
def test_a_statement_that_is_not_there_is_missed(statement: Statement) -> None:
    rows = rows_of(statement)
    assert rows, f"no row comes to {statement.name}"
    with without(statement):
        assert not all(map(is_said, rows))


@pytest.mark.parametrize(
    "statement", [it for it in STATEMENTS if it.conditional], ids=lambda it: it.name
)
def test_a_condition_that_is_turned_round_is_noticed(statement: Statement) -> None:
    rows = rows_of(statement)
    with turned_round(statement):
        assert not all(map(is_right, SAMPLES.values())) or not all(map(is_said, rows))
